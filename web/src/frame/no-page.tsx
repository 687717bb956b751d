// An address that leads nowhere.

import { TextLink } from "../parts/text-link.tsx";
import { PageHead } from "./page.tsx";

export function NoPage({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <main className="flex min-w-0 grow flex-col">
      <PageHead title={title} says="" />
      <div className="mx-auto max-w-md px-6 py-16 text-center text-sm text-soft">
        <p>{children}</p>
        <p className="mt-3 flex justify-center gap-4">
          <TextLink href="/inbox">Inbox</TextLink>
          <TextLink href="/">Newest chat</TextLink>
        </p>
      </div>
    </main>
  );
}
