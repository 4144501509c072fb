// Limits a bug to one part of the page. That part shows the error, so that a person can report it.

import { Component, type ErrorInfo, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { WORDS } from "./words.ts";

interface BrokenProps {
  readonly what: string;
  readonly children: ReactNode;
}
interface BrokenState {
  readonly error?: Error;
}

export class Broken extends Component<BrokenProps, BrokenState> {
  override state: BrokenState = {};

  static getDerivedStateFromError(error: unknown): BrokenState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="broken" role="alert">
        <b>{WORDS.broke(this.props.what)}</b>
        <code>{error.message}</code>
        <span className="row">
          <Button small onClick={() => this.setState({ error: undefined as never })}>
            {WORDS.tryAgain}
          </Button>
          <Button small tone="quiet" onClick={() => location.reload()}>
            {WORDS.reloadAll}
          </Button>
        </span>
      </div>
    );
  }
}
