// The buttons of a permission: Allow, Edit, Deny, and what opens their choices. Allow always says why it waits.

import { Button } from "../parts/button.tsx";
import { Keys } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { hintOf } from "../keys/key-table.ts";
import { PHONE, useMedia } from "../store/media.ts";
import { showFromStart } from "./allow-choices.tsx";
import type { Face, OpenMenu } from "./allow-choice.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";

export interface DecisionProps {
  readonly face: Face;
  readonly menu: OpenMenu;
  /** What Allow says. */
  readonly button: string;
  readonly reason: string;
  readonly armed: boolean;
  readonly busy: boolean;
  readonly mayAnswer: boolean;
  readonly mayChange: boolean;
  readonly hasChoices: boolean;
  readonly prefersNo: boolean;
  /** Why it cannot be allowed at all. */
  readonly blocked: string | undefined;
  /** Why it needs a second press. `twice`: because it is dangerous. */
  readonly waits: string | undefined;
  readonly isSecond: boolean;
  readonly onAllow: (event: Event) => void;
  readonly onDeny: () => void;
  readonly onShow: (next: { readonly face?: Face; readonly menu?: OpenMenu }) => void;
}

export const Decision = (props: DecisionProps) => {
  const { face, menu, reason, busy, mayAnswer, mayChange, hasChoices, prefersNo, onDeny, onShow } = props;
  if (face === "deny")
    return (
      <footer className="ask-acts">
        <Button tone="main" busy={busy} disabled={!mayAnswer} onClick={onDeny}>
          {reason.trim() === "" ? WORDS.deny : WORDS.denyThis} <Keys>{hintOf("request.answer")}</Keys>
        </Button>
        <Button tone="quiet" onClick={() => onShow({})}>
          {WORDS.back}
        </Button>
      </footer>
    );
  return (
    <footer className={`ask-acts ${face === "edit" ? "ask-long" : ""}`}>
      <span className="ask-split ask-allow">
        <AllowButton {...props} />
        {hasChoices && (
          <Button
            tone={prefersNo || (props.waits !== undefined && !props.isSecond) ? "plain" : "main"}
            className={`ask-open ${props.waits === undefined ? "" : "ask-waits"}`}
            aria-label={WORDS.moreAllow}
            aria-expanded={menu === "allow"}
            data-tip={WORDS.moreAllowTip}
            onClick={() => onShow({ face, ...(menu !== "allow" && { menu: "allow" }) })}
          >
            <Icon name={menu === "allow" ? "down" : "up"} />
          </Button>
        )}
      </span>
      {face === "edit" ? (
        <Button tone="quiet" onClick={() => onShow({})}>
          {WORDS.discard}
        </Button>
      ) : (
        mayChange && (
          <Button onClick={() => onShow({ face: "edit" })}>
            {WORDS.edit} <Keys>{hintOf("request.edit")}</Keys>
          </Button>
        )
      )}
      <span className="ask-split ask-deny">
        <Button tone={prefersNo ? "main" : "plain"} disabled={!mayAnswer || busy} onClick={onDeny}>
          {WORDS.deny} <Keys>{hintOf("request.no")}</Keys>
        </Button>
        <Button
          tone={prefersNo ? "main" : "plain"}
          className="ask-open"
          aria-label={WORDS.moreDeny}
          aria-expanded={menu === "deny"}
          data-tip={WORDS.moreDenyTip}
          disabled={!mayAnswer}
          onClick={() => onShow({ face, ...(menu !== "deny" && { menu: "deny" }) })}
        >
          <Icon name={menu === "deny" ? "down" : "up"} />
        </Button>
      </span>
      <span className="ask-hint">
        {fill(menu === undefined && !props.isSecond && face === "plain" ? WORDS.denies : WORDS.goesBack, {
          key: <Keys>{hintOf("request.deny")}</Keys>,
        })}
      </span>
    </footer>
  );
};

const AllowButton = ({ face, button, armed, busy, prefersNo, blocked, waits, isSecond, onAllow }: DecisionProps) => {
  const isPhone = useMedia(PHONE);
  const isReady = armed && blocked === undefined;
  const words = face === "edit" ? WORDS.asEdited(button) : button;
  const key =
    face === "edit" ? "request.confirm" : waits === undefined && !prefersNo ? "request.answer" : "request.allow";
  const why =
    blocked ??
    (waits === undefined
      ? undefined
      : isSecond
        ? WORDS.again(isPhone)
        : waits === "twice"
          ? WORDS.twice(isPhone)
          : waits);
  return (
    <Button
      tone={prefersNo || (waits !== undefined && !isSecond) ? "plain" : "main"}
      busy={busy}
      aria-disabled={!isReady || undefined}
      data-tip={armed ? undefined : WORDS.moment}
      className={`ask-yes ${waits === undefined ? "" : "ask-waits"} ${isReady ? "" : "ask-inert"}`}
      onClick={(event) => onAllow(event.nativeEvent)}
    >
      {/* Both words take the same place, so that nothing moves under the finger. */}
      <span className="ask-words">
        <span aria-hidden={isSecond} className={isSecond ? "ask-gone" : ""}>
          {words}
        </span>
        {waits !== undefined && (
          <span aria-hidden={!isSecond} className={isSecond ? "" : "ask-gone"}>
            {WORDS.anyway}
          </span>
        )}
      </span>{" "}
      <Keys>{hintOf(key)}</Keys>
      {why !== undefined && <small>{why}</small>}
    </Button>
  );
};

interface DenyChoicesProps {
  readonly onDeny: (interrupt?: boolean) => void;
  readonly onReason: () => void;
}

export const DenyChoices = ({ onDeny, onReason }: DenyChoicesProps) => (
  <div ref={showFromStart} className="ask-choices" role="group" aria-label={WORDS.howDeny}>
    <button type="button" className="ask-choice ask-line" onClick={() => onDeny()}>
      <span>{fill(WORDS.denyOn, { deny: <b>{WORDS.deny}</b> })}</span>
      <Keys>1</Keys>
    </button>
    <button type="button" className="ask-choice ask-line" onClick={onReason}>
      <span>{fill(WORDS.denyWhyOn, { deny: <b>{WORDS.denyWhy}</b> })}</span>
      <Keys>{WORDS.or("2", hintOf("request.reason"))}</Keys>
    </button>
    <button type="button" className="ask-choice ask-line" onClick={() => onDeny(true)}>
      <span>{fill(WORDS.denyStopOn, { deny: <b>{WORDS.denyStop}</b> })}</span>
      <Keys>3</Keys>
    </button>
  </div>
);
