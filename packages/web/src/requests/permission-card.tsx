// One permission: what would be done, who asks and why, and the ways to answer. Allow once, for a session or always; allow an edited
// input; deny, deny with a reason, deny and stop. What is dangerous or not read needs a second press.

import type { Client, OpenRequest } from "@quarterdeck/client";
import { isRecord, NO_REASON } from "@quarterdeck/client/content";
import { dangersOf } from "@quarterdeck/permissions/dangers";
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { DESTINATIONS, type Destination } from "../words/scopes.ts";
import { shownPath } from "../words/paths.ts";
import { may } from "../store/may.ts";
import { useMedia } from "../store/media.ts";
import { firstFocusable } from "../store/wanted-request.ts";
import { AllowChoices, bringInSight } from "./allow-choices.tsx";
import { useArming } from "./arming.ts";
import {
  claimOf,
  phraseFor,
  suggestionsOf,
  updateOf,
  type Asked,
  type Input,
  type PermissionUpdate,
  type AllowSuggestion,
} from "./asked.ts";
import { useCardKeys, type CardKey } from "./card-keys.ts";
import { CardTop } from "./card-top.tsx";
import {
  askRuleOf,
  allowChoicesOf,
  ONCE,
  suggestedRules,
  type AllowChoiceId,
  type Face,
  type OpenMenu,
} from "./allow-choice.ts";
import { Decision, DenyChoices } from "./decision.tsx";
import { InputEditor } from "./input-editor.tsx";
import { hunksOf, InputView, Measure, valueText, usePreview, Warnings } from "./input-view.tsx";
import { mayUpdate } from "./may-update.ts";
import { useRespond } from "./respond.ts";
import { ToEnd } from "./to-end.tsx";
import { TrueText } from "../content/text/true-text.tsx";
import { DangerList } from "./true-command.tsx";
import { useWhy, Why } from "./why.tsx";
import { isString, useWrittenAnswer, writtenIn } from "./written-answer.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";

export interface RequestCardProps {
  readonly client: Client;
  readonly session: string;
  readonly open: OpenRequest;
  /** The card as a whole: what moves it disarms it. */
  readonly card: RefObject<HTMLElement | null>;
  readonly agents: ReadonlyMap<string, string>;
  /** Where the session works. */
  readonly cwd: string | undefined;
  /** Other folders of the session. */
  readonly folders: readonly string[];
}

/** Hardly any height, but some width: a request stands beside its decision. The style sheet writes the same out. */
const LOW = "(max-height: 560px) and (min-width: 560px)";

/** A rule that no CLI suggests. */
const OTHER_RULE: PermissionUpdate = { type: "addRules", rules: [], behavior: "allow", destination: "session" };

export const PermissionCard = ({
  client,
  session,
  open,
  card,
  agents,
  cwd,
  folders,
}: RequestCardProps & { readonly open: OpenRequest & { readonly request: Asked } }) => {
  const asked = open.request;
  const { tool_name: tool } = asked;
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const mayAnswer = may(client, "session/respond");
  const mayChange = may(client, "session/respond", { answer: { kind: "allow", updatedInput: {} } });
  const mayEditRules = mayUpdate(client, asked, OTHER_RULE);
  const mayRule = (suggestion: AllowSuggestion): boolean => {
    const update = updateOf(suggestion);
    return update === undefined ? mayEditRules : mayUpdate(client, asked, update);
  };
  const [face, setFace] = useWrittenAnswer<Face>(own, "face", () => "plain", isFace);
  const [menu, setMenu] = useState<OpenMenu>();
  const [read, setRead] = useState(false);
  const [unread, setUnread] = useState(0);
  const [isSecond, setSecond] = useState(false);
  const [edited, setEdited] = useWrittenAnswer<Input | undefined>(own, "input", () => asked.input, isRecord);
  const [reason, setReason] = useWrittenAnswer(own, "reason", () => "", isString);
  const [suggestions, setSuggestions] = useWrittenAnswer<readonly AllowSuggestion[]>(own, "rules", () =>
    suggestionsOf(asked, cwd).filter(mayRule),
  );
  const tested = useWhy(client, session, open, suggestions);
  const preview = usePreview(client, session, open);
  const [choice, setChoice] = useState<AllowChoiceId>("once");
  const [wantedTo, setTo] = useState<Destination>();
  const [typed, setTyped] = useState("");
  const root = useRef<HTMLDivElement>(null);
  const isLow = useMedia(LOW);
  const onRead = useCallback(() => setRead(true), []);
  useFocusInFace(root, face);

  const rules = suggestedRules(suggestions);
  const files = DESTINATIONS.filter(
    (destination) => destination !== "session" && rules.every((rule) => mayRule({ ...rule, destination })),
  );
  const to = wantedTo ?? files[0];
  const askRule = askRuleOf(asked, tested);
  const choices = askRule === undefined ? allowChoicesOf(suggestions, to) : [ONCE];
  const chosen = choices.find(({ id }) => id === choice) ?? ONCE;
  const phrase = phraseFor(chosen.updates);
  const changed = face === "edit" && edited !== undefined && JSON.stringify(edited) !== JSON.stringify(asked.input);
  const input = changed ? edited : asked.input;
  const dangers = useMemo(() => dangersOf(tool, input, { cwd, folders }), [tool, input, cwd, folders]);
  // A changed input was visible in the editor.
  const isUnread = !read && !changed;
  const needsTwo = isUnread || dangers.length > 0;
  const { armed, isArmed, isKeyArmed } = useArming(card, open.id, [face, menu, isSecond, chosen.id].join(" "));
  const blocked = !mayAnswer
    ? WORDS.mayNot
    : chosen.updates.some((update) => updateOf(update) === undefined)
      ? WORDS.fixRule
      : phrase !== "" && typed.trim() !== phrase
        ? WORDS.typeName
        : face === "edit" && edited === undefined
          ? WORDS.fixInput
          : undefined;

  const show = (next: { readonly face?: Face; readonly menu?: OpenMenu }): void => {
    setSecond(false);
    setFace(next.face ?? "plain");
    setMenu(next.menu);
  };
  const choose = (id: AllowChoiceId): void => {
    setSecond(false);
    setChoice(id);
  };
  const allow = (): void => {
    if (busy || blocked !== undefined) return;
    if (needsTwo && !isSecond) {
      setSecond(true);
      return;
    }
    const updatedPermissions = chosen.updates.flatMap((update) => updateOf(update) ?? []);
    void respond({
      kind: "allow",
      ...(changed && { updatedInput: { ...edited } }),
      ...(updatedPermissions.length > 0 && { updatedPermissions }),
      ...(phrase !== "" && { confirmed: typed.trim() }),
    });
  };
  const deny = (interrupt = false): void => {
    if (!mayAnswer || busy) return;
    void respond({ kind: "deny", message: reason.trim() || NO_REASON, ...(interrupt && { interrupt }) });
  };
  const canGoBack = (isSecond && needsTwo) || menu !== undefined || face !== "plain";
  const goBack = (): void => {
    if (isSecond && needsTwo) setSecond(false);
    else show({});
  };
  const onKey = ({ id, digit, place, event }: CardKey): boolean => {
    const isText = place === "text" || place === "composer";
    const run = (act: () => void): boolean => {
      if (isKeyArmed(event)) act();
      return true;
    };
    // Going back answers nothing, so it need not wait.
    if (id === "request.deny" && canGoBack) {
      goBack();
      return true;
    }
    if (id === "request.deny") return run(() => deny());
    if (face === "deny" && place === "text" && (id === "request.answer" || id === "request.confirm")) {
      deny();
      return true;
    }
    if (id === "request.confirm" && place !== "composer") return run(allow);
    if (id === "request.answer" && place !== "button" && place !== "text")
      // Enter alone never allows what is dangerous or not read.
      return run(() => (needsTwo || asked.default_to_no === true ? undefined : allow()));
    if (isText) return false;
    if (digit !== undefined && menu === "deny") {
      const act = [() => deny(), () => show({ face: "deny" }), () => deny(true)][digit - 1];
      return act !== undefined && run(act);
    }
    const picked = digit === undefined ? undefined : choices[digit - 1];
    if (picked !== undefined && choices.length > 1)
      return run(() => {
        setMenu("allow");
        choose(picked.id);
      });
    switch (id) {
      case "request.allow":
        return run(allow);
      case "request.edit":
        return mayChange && run(() => show({ face: "edit" }));
      case "request.no":
        return run(() => deny());
      case "request.reason":
        return run(() => show({ face: "deny" }));
      default:
        return false;
    }
  };
  const onKeyDown = useCardKeys(onKey);
  const claim = claimOf(tool, asked.input);
  const agent = asked.agent_id === undefined ? undefined : (agents.get(asked.agent_id) ?? asked.agent_id);
  const hunks = useMemo(() => hunksOf(preview), [preview]);
  return (
    <div ref={root} className="ask-card ask-permission" onKeyDown={onKeyDown}>
      <div className="ask-what">
        <CardTop asked={asked} agent={agent} cwd={cwd} preview={preview} hunks={hunks} />
        {claim !== undefined && <p className="ask-claim">{fill(WORDS.claim, { words: <TrueText text={claim} /> })}</p>}
        {asked.blocked_path != null && asked.blocked_path !== "" && (
          <p className="ask-blocked">
            {fill(WORDS.blocked, { path: <TrueText text={shownPath(asked.blocked_path, cwd)} /> })}
          </p>
        )}
        {face === "edit" ? (
          <InputEditor tool={tool} input={asked.input} value={edited ?? asked.input} onChange={setEdited} />
        ) : (
          <>
            <Warnings input={asked.input} />
            <ToEnd
              onRead={onRead}
              isRead={read}
              isWhole={preview !== undefined}
              lines={linesIn(asked, hunks)}
              onUnread={setUnread}
            >
              <InputView tool={tool} input={asked.input} preview={preview} dangers={dangers} />
            </ToEnd>
          </>
        )}
        {isLow && <DangerList dangers={dangers} />}
      </div>
      <div className="ask-side">
        <div className="ask-more">
          {!isLow && <DangerList dangers={dangers} />}
          <Measure tool={tool} input={asked.input} />
          <Why asked={asked} tested={tested} />
          {menu === "allow" && face !== "deny" && (
            <AllowChoices
              request={open.id}
              choices={choices}
              chosen={chosen.id}
              rules={rules}
              to={to}
              tested={tested}
              askRule={askRule}
              mayEdit={mayEditRules}
              may={mayRule}
              onChoose={choose}
              onRule={(rule) =>
                setSuggestions(suggestions.map((each) => (each.id === rule.id ? { ...each, text: rule.text } : each)))
              }
              onTo={setTo}
            />
          )}
          {menu === "deny" && <DenyChoices onReason={() => show({ face: "deny" })} onDeny={deny} />}
          {face === "deny" && (
            <label className="ask-field">
              <span>{WORDS.instead}</span>
              <textarea
                autoFocus
                rows={2}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
                placeholder={WORDS.insteadHow}
              />
            </label>
          )}
          {face !== "deny" && phrase !== "" && (
            <label className="ask-field ask-guard">
              <span>{fill(WORDS.guard, { name: <b>{phrase}</b> })}</span>
              <input
                ref={bringInSight}
                type="text"
                value={typed}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
          )}
          {error !== undefined && (
            <p className="ask-problem" role="alert">
              {error}
            </p>
          )}
        </div>
        <Decision
          face={face}
          menu={menu}
          button={chosen.button}
          reason={reason}
          armed={armed}
          busy={busy}
          mayAnswer={mayAnswer}
          mayChange={mayChange}
          hasChoices={choices.length > 1 || askRule !== undefined}
          prefersNo={asked.default_to_no === true}
          blocked={blocked}
          waits={isUnread ? WORDS.unread(unread) : dangers.length > 0 ? "twice" : undefined}
          isSecond={isSecond && needsTwo}
          onAllow={(event) => {
            if (isArmed(event)) allow();
          }}
          onDeny={() => deny()}
          onShow={show}
        />
      </div>
    </div>
  );
};

const isFace = (value: unknown): value is Face => value === "edit" || value === "deny";

/** Lines of what is shown. */
const linesIn = ({ input, tool_name: tool }: Asked, hunks: readonly { readonly lines: readonly string[] }[]): number =>
  hunks.length > 0
    ? hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
    : (tool === "Bash" ? [input["command"]] : Object.values(input)).reduce<number>(
        (sum, value) => sum + valueText(value).split("\n").length,
        0,
      );

/** Editing starts in the text field. Leaving the editor returns to the text of the request. */
const useFocusInFace = (root: RefObject<HTMLElement | null>, face: Face): void => {
  const was = useRef(face);
  useEffect(() => {
    if (was.current === face) return;
    was.current = face;
    const card = root.current;
    if (card === null) return;
    const editor = card.querySelector<HTMLElement>(".ask-editor");
    if (editor !== null) (editor.querySelector("textarea") ?? editor.querySelector("input"))?.focus();
    else if (document.activeElement === document.body) firstFocusable(card)?.focus();
  }, [root, face]);
};
