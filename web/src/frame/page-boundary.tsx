// What fails in a page fails there: the sidebar stays, the page says so and gives a way on. Going elsewhere tries anew.

import { Component, type ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { PageHead } from "./page-head.tsx";

interface Props {
  /** Where we are. */
  readonly place: string;
  readonly children: ReactNode;
}
interface State {
  readonly failed: string | null;
}

export class PageBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.failed !== null) this.setState({ failed: null });
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return (
      <main className="flex min-w-0 grow flex-col">
        <PageHead title="This page could not be shown" says="nothing was changed" />
        <div className="mx-auto grid w-full max-w-[50rem] gap-3 px-4 py-5">
          <Note kind="problem">{failed}</Note>
          <div className="flex items-center gap-3">
            <Button weight="solid" onClick={() => location.reload()}>
              Reload
            </Button>
            <Link href="/inbox" className="text-sm text-accent underline underline-offset-2">
              Go to the inbox
            </Link>
          </div>
        </div>
      </main>
    );
  }
}
