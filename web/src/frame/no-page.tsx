// An address that leads nowhere.

import { Link } from "wouter";
import { Empty } from "../parts/note.tsx";
import { PageHead } from "./page-head.tsx";

export function NoPage({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <main className="flex min-w-0 grow flex-col">
      <PageHead title={title} says="" />
      <Empty title={title}>
        <p>{children}</p>
        <p className="mt-3 flex justify-center gap-4">
          <Link href="/inbox" className="text-accent underline underline-offset-2">
            Inbox
          </Link>
          <Link href="/" className="text-accent underline underline-offset-2">
            Newest chat
          </Link>
        </p>
      </Empty>
    </main>
  );
}
