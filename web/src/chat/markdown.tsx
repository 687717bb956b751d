// What an agent writes, as markdown, while it arrives. Nothing in it leaves the page: pictures are named and not loaded, links are
// written out and not followed, HTML is text.

import { harden } from "rehype-harden";
import { type ComponentProps, lazy, type ReactNode, Suspense, useRef } from "react";
import { defaultRehypePlugins, Streamdown } from "streamdown";
import { show } from "../../../src/core/path/show.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { shownProse } from "../words/shown-text.ts";

const ColouredCode = lazy(() => import("../parts/coloured-code.tsx").then(({ ColouredCode }) => ({ default: ColouredCode })));

const { sanitize } = defaultRehypePlugins;
const plugins: NonNullable<ComponentProps<typeof Streamdown>["rehypePlugins"]> = [
  ...(sanitize === undefined ? [] : [sanitize]),
  [harden, { allowedImagePrefixes: [], allowedLinkPrefixes: ["*"], allowDataImages: false, defaultOrigin: "http://127.0.0.1" }],
];

/** A link is its text with its address behind it; there is nothing to press. */
function InertLink({ children, href }: { readonly children?: ReactNode; readonly href?: string | undefined }) {
  return (
    <span>
      {children}
      {href !== undefined && href !== "" && href !== children && (
        <>
          {" "}
          <code title="links cannot be opened from here">{show(href)}</code>
        </>
      )}
    </span>
  );
}

function NoImage({ alt }: { readonly alt?: string | undefined }) {
  return <span>[picture not loaded{alt === undefined || alt === "" ? "" : `: ${show(alt)}`}]</span>;
}

function Table({ children }: { readonly children?: ReactNode }) {
  return <table tabIndex={0}>{children}</table>;
}
function Block({ children }: { readonly children?: ReactNode }) {
  const block = useRef<HTMLPreElement>(null);
  return (
    <div className="relative">
      <pre ref={block} tabIndex={0}>
        {children}
      </pre>
      <CopyButton text={() => block.current?.textContent ?? ""} of="the code" className="absolute! top-0.5 right-1 size-8! bg-raised!" />
    </div>
  );
}
/** Inline code has no language, and a block that names none is left plain. */
function Code({ children, className }: { readonly children?: ReactNode; readonly className?: string | undefined }) {
  const language = /\blanguage-([\w+#.-]+)/.exec(className ?? "")?.[1]?.toLowerCase();
  if (language === undefined || typeof children !== "string") return <code>{children}</code>;
  return (
    <code>
      <Suspense fallback={children}>
        <ColouredCode code={children} language={language} />
      </Suspense>
    </code>
  );
}
const components = { a: InertLink, img: NoImage, pre: Block, code: Code, table: Table };

export function Markdown({ text, streaming }: { readonly text: string; readonly streaming: boolean }) {
  return (
    <div className="prose">
      <Streamdown
        mode={streaming ? "streaming" : "static"}
        rehypePlugins={plugins}
        components={components}
        controls={false}
        animated={false}
      >
        {shownProse(text)}
      </Streamdown>
    </div>
  );
}
