// What an agent writes, as markdown, while it arrives. Nothing in it leaves the page: pictures are named and not loaded, links are
// written out and not followed, HTML is text.

import { harden } from "rehype-harden";
import type { ComponentProps, ReactNode } from "react";
import { defaultRehypePlugins, Streamdown } from "streamdown";
import { show } from "../../../src/core/path/show.ts";
import { shownProse } from "../words/shown-text.ts";

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
          <code title="links are not followed from here">{show(href)}</code>
        </>
      )}
    </span>
  );
}

function NoImage({ alt }: { readonly alt?: string | undefined }) {
  return <span>[picture not loaded{alt === undefined || alt === "" ? "" : `: ${show(alt)}`}]</span>;
}

const plain = (Tag: "pre" | "table") =>
  function Plain({ children }: { readonly children?: ReactNode }) {
    return <Tag tabIndex={0}>{children}</Tag>;
  };
function Code({ children }: { readonly children?: ReactNode }) {
  return <code>{children}</code>;
}
const components = { a: InertLink, img: NoImage, pre: plain("pre"), code: Code, table: plain("table") };

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
