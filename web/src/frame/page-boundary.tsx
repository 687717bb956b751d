// What fails in a page fails there: the sidebar stays, the page says so and gives a way on. Going elsewhere tries anew.

import { Component, type ReactNode } from "react";
import { messageOf } from "../../../src/core/record.ts";
import { Button } from "../parts/button.tsx";
import { TextLink } from "../parts/text-link.tsx";
import { Page } from "./page.tsx";

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
    return { failed: messageOf(error) };
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.failed !== null) this.setState({ failed: null });
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return (
      <Page title="This page could not be shown" says="nothing was changed" problem={failed} className="max-w-[50rem] gap-3">
        <div className="flex items-center gap-3">
          <Button weight="solid" onClick={() => location.reload()}>
            Reload
          </Button>
          <TextLink href="/inbox" className="text-sm">
            Go to the inbox
          </TextLink>
        </div>
      </Page>
    );
  }
}
