// The home page: a composer that starts a session, open requests, and recent projects.

import type { SessionSummary } from "@quarterdeck/client";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { later } from "../parts/later.tsx";
import { LineCounts } from "../parts/line-counts.tsx";
import { Dot } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { toastError } from "../parts/toast.tsx";
import { BranchMark } from "../sessions/branch-mark.tsx";
import { initialForm } from "../sessions/last-start.ts";
import { useStartDefaults } from "../sessions/start-defaults.ts";
import { startParams, type StartForm } from "../sessions/start-settings.ts";
import { useClient, useServerInfo, useSessionList } from "../store/client.tsx";
import { fleetOf, machinePlaceOf } from "../store/fleet.ts";
import { askBriefs } from "../store/ask-briefs.ts";
import { useBrief } from "../store/git-briefs.ts";
import { PHONE, useMedia } from "../store/media.ts";
import { may } from "../store/may.ts";
import { useNow } from "../store/now.ts";
import { boardHref, go, hrefOf } from "../store/route.ts";
import { openSurface } from "../store/surfaces.ts";
import type { AskedCommandProps } from "../requests/asked-command.tsx";
import { wantRequest } from "../store/wanted-request.ts";
import { baseName, formatAge, shortPath } from "../words/format.ts";
import { askedWords, forkWords, sessionTitleOf, waitingLine, sessionWords } from "../words/session-words.ts";
import { HomeComposer } from "./home-composer.tsx";
import { QuickAnswer } from "./quick-answer.tsx";
import { LoginSteps } from "./login-steps.tsx";
import type { Project } from "./start-chips.tsx";
import { WORDS } from "./words.ts";
import "./home.css";

const AskedCommand = later<AskedCommandProps>(
  async () => (await import("../requests/asked-command.tsx")).AskedCommand,
  ({ command }) => command,
);
const AskPush = later(async () => (await import("../notify/ask-push.tsx")).AskPush);

const RECENT = 5;
const PROJECTS = 8;

export const Home = ({ menu }: { readonly menu: ReactNode }) => {
  const client = useClient();
  const fleet = fleetOf(client);
  const there = fleet?.isHome === false ? fleet.machine : undefined;
  const info = useServerInfo();
  const phone = useMedia(PHONE);
  const { status, sessions } = useSessionList();
  const projects = useProjects(sessions.length);
  const [form, setForm] = useState<StartForm>(() =>
    initialForm(undefined, undefined, info?.machine.roots ?? [], there),
  );
  // The newest project, until a person chooses another folder.
  const cwd = form.cwd === "" ? (projects[0]?.path ?? "") : form.cwd;
  const wish = useMemo(() => ({ ...form, cwd }), [form, cwd]);
  // What a person chose here holds. Then the defaults of the project, then what was chosen last time.
  const touched = useRef(new Set<string>());
  const first = useRef(form);
  useStartDefaults(client, cwd, first.current, (defaults) =>
    setForm((before) => ({
      ...before,
      ...Object.fromEntries(Object.entries(defaults).filter(([key]) => !touched.current.has(key))),
    })),
  );
  const change = (patch: Partial<StartForm>): void => {
    for (const key of Object.keys(patch)) touched.current.add(key);
    setForm((before) => ({ ...before, ...patch }));
  };
  const recent = sessions
    .filter((summary) => !summary.archived && summary.waiting.length === 0)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, RECENT);
  const starts = may(client, "sessions/start");
  const composer = starts && <HomeComposer form={wish} projects={projects} onChange={change} />;
  const live = sessions.filter((summary) => summary.live).length;
  const isNew = sessions.length === 0 && status === "ready";
  const { chapters } = info?.agent ?? {};
  return (
    <>
      <header className="head head-home">
        {menu}
        <span className="head-name">Quarterdeck</span>
      </header>
      <div className="home">
        <div className="home-in">
          <h1>{isNew ? WORDS.none : WORDS.start}</h1>
          {isNew && <p className="home-first">{WORDS.first}</p>}
          <LoginSteps />
          {!phone && composer}
          {!starts && <p>{WORDS.watchOnly}</p>}
          <Needs sessions={sessions} />
          {phone && sessions.some(({ waiting }) => waiting.length > 0) && <AskPush />}
          {starts && projects.length > 0 && (
            <section aria-label={WORDS.projects}>
              <h2>{WORDS.projects}</h2>
              <ul className="home-projects">
                {projects.slice(0, PROJECTS).map((project) => (
                  <li key={project.path}>
                    <ProjectCard
                      project={project}
                      chosen={project.path === cwd}
                      onChoose={() => change({ cwd: project.path })}
                    />
                  </li>
                ))}
              </ul>
            </section>
          )}
          {starts && chapters !== undefined && <Chapters form={wish} chapters={chapters} />}
          {phone && recent.length > 0 && <Recent sessions={recent} />}
          <p className="home-foot">
            {!isNew && (
              <a href={boardHref()}>
                {WORDS.sessions(sessions.length)}
                {live > 0 ? WORDS.running(live) : ""}
              </a>
            )}
            <Button small tone="quiet" icon="terminal" onClick={() => openSurface({ kind: "resume" })}>
              {WORDS.resume}
            </Button>
          </p>
        </div>
      </div>
      {phone && composer !== false && <div className="home-dock">{composer}</div>}
    </>
  );
};

/** Newest first. Asked again when sessions come or go. */
const useProjects = (sessions: number): readonly Project[] => {
  const client = useClient();
  const [projects, setProjects] = useState<readonly Project[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    client
      .call("projects/list", {}, { signal: stop.signal })
      .then(({ projects: found }) => {
        setProjects(found);
        askBriefs(
          client,
          found.slice(0, PROJECTS).map(({ path }) => path),
        );
      })
      // Offline: the page says so at its top.
      .catch(() => undefined);
    return () => stop.abort();
  }, [client, sessions]);
  return projects;
};

const MachineName = ({ summary }: { readonly summary: SessionSummary }) => {
  const place = machinePlaceOf(summary);
  return place === undefined ? null : <> · {place.machine}</>;
};

/** The open requests of all sessions, oldest first. One press opens a request. */
const Needs = ({ sessions }: { readonly sessions: readonly SessionSummary[] }) => {
  const client = useClient();
  const now = useNow();
  const answers = useMedia(PHONE) && may(client, "session/respond");
  const open = sessions
    .filter((summary) => !summary.archived)
    .flatMap((summary) =>
      summary.waiting.map((waiting) => ({
        summary,
        waiting,
        // Another machine is answered where its session is open.
        quick: answers && machinePlaceOf(summary) === undefined ? waiting.quick : undefined,
      })),
    )
    .toSorted((a, b) => a.waiting.at - b.waiting.at);
  if (open.length === 0) return null;
  return (
    <section aria-label={WORDS.needsLabel}>
      <h2 className="home-needs-head">
        {WORDS.needs} <span className="num">{open.length}</span>
      </h2>
      <ul className="home-needs">
        {open.map(({ summary, waiting, quick }) => (
          <li key={waiting.id}>
            <a href={hrefOf(summary.id)} onClick={() => wantRequest(waiting.id)}>
              <Dot tone="brass" />
              <b>{sessionTitleOf(summary)}</b>
              <span className="home-asks">
                <span>
                  {waitingLine([waiting])}
                  <MachineName summary={summary} />
                </span>
                {waiting.tool === "Bash" && quick === undefined ? (
                  <span className="mono">
                    <AskedCommand command={askedWords(waiting)} cwd={summary.cwd} />
                  </span>
                ) : (
                  <span className={waiting.tool === "Bash" ? "mono" : ""}>
                    {quick?.line ?? askedWords(waiting, summary.cwd)}
                  </span>
                )}
              </span>
              <time className="num">{formatAge(waiting.at, now)}</time>
              {quick === undefined && (
                <span className="home-open" aria-hidden="true">
                  {waiting.kind === "question" ? WORDS.answer : WORDS.decide}
                </span>
              )}
            </a>
            {quick !== undefined && (
              <QuickAnswer client={client} session={summary.id} request={waiting.id} quick={quick} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};

const ProjectCard = ({
  project: { path, name, sessions },
  chosen,
  onChoose,
}: {
  readonly project: Project;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}) => {
  const brief = useBrief(path);
  const home = useServerInfo()?.machine.home;
  return (
    <button type="button" className="home-project" aria-pressed={chosen} onClick={onChoose}>
      <b>{name || baseName(path)}</b>
      <span className="mono">{shortPath(path, home)}</span>
      <span>
        {brief !== undefined && (
          <>
            <BranchMark brief={brief} /> ·{" "}
          </>
        )}
        {WORDS.sessions(sessions)}
      </span>
    </button>
  );
};

const Chapters = ({
  form,
  chapters,
}: {
  readonly form: StartForm;
  readonly chapters: readonly { readonly title: string; readonly prompt: string }[];
}) => {
  const client = useClient();
  const info = useServerInfo();
  const [busy, setBusy] = useState(false);
  const cwd = form.cwd === "" ? (info?.machine.roots[0] ?? "") : form.cwd;
  const start = async (title: string, prompt: string): Promise<void> => {
    setBusy(true);
    try {
      const params = startParams({ ...form, cwd, prompt, begin: "new", title: WORDS.demoTitle(title) }, true);
      const { session } = await client.command("sessions/start", params);
      go(hrefOf(session.id));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={WORDS.demo}>
      <h2>{WORDS.demo}</h2>
      <div className="home-demo">
        {chapters.map(({ title, prompt }) => (
          <button
            key={prompt}
            type="button"
            className="pill"
            disabled={busy || cwd === ""}
            onClick={() => void start(title, prompt).catch(toastError)}
          >
            {title}
          </button>
        ))}
      </div>
    </section>
  );
};

const Recent = ({ sessions }: { readonly sessions: readonly SessionSummary[] }) => {
  const now = useNow();
  const { sessions: all } = useSessionList();
  return (
    <section aria-label={WORDS.recent}>
      <h2>{WORDS.recent}</h2>
      <ul className="home-recent">
        {sessions.map((summary) => {
          const { tone, line } = sessionWords(summary);
          const { changes } = summary;
          return (
            <li key={summary.id}>
              <a href={hrefOf(summary.id)}>
                <Dot tone={tone} />
                <b>{sessionTitleOf(summary)}</b>
                <time className="num">{formatAge(summary.updatedAt, now)}</time>
                <span>
                  {baseName(summary.project)}
                  <MachineName summary={summary} /> · {summary.forkOf !== undefined && `${forkWords(summary, all)} · `}
                  {line}
                </span>
                {changes !== undefined && changes.files > 0 && (
                  <span className="home-changed num">
                    <LineCounts {...changes} />
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
};
