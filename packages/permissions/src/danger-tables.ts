// What is dangerous, as tables: paths with secrets, programs that use the network, programs that write the paths they name.

import { baseName } from "./paths.ts";

/** `--force`, `--force-with-lease`, `--force=yes`, and words with the same meaning. */
export const FORCED =
  /^--(?:force(?:-[a-z-]+)?(?:=.*)?|allow-unrelated-histories|no-preserve-root|break-system-packages)$/u;

/** Words that are not options. */
export const bareArgs = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf("--");
  return args.filter((word, at) => (end !== -1 && at > end) || (word !== "--" && (word === "-" || !/^-./u.test(word))));
};

const SECRET_NAMES =
  /^(?:\.env(?:\.(?!example$|sample$|template$|dist$|test$)[\w.-]+)?|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json|\.ya?ml|\.toml)?|\.credentials\.json|secrets?\.(?:json|ya?ml|toml|env|txt)|service-account[\w.-]*\.json|[\w.-]+\.(?:pem|p12|pfx|jks|keystore|kdbx|key))$/iu;
const SECRET_FOLDERS =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.config\/gcloud|\.config\/gh|\.password-store)(?:\/|$)/u;
const SECRET_FILES = /^(?:~?\/etc\/(?:shadow|sudoers)|\/proc\/[^/]+\/environ)/u;

/** A word that names a file with keys or passwords. An option with such a value counts too: `--key=id_rsa`. */
export const isSecretPath = (word: string): boolean => {
  if (word.length > 4096 || /\s/u.test(word)) return false;
  const path = word.replace(/^[-\w]*=|^@/u, "");
  // A public half of a key is not a secret.
  if (path.endsWith(".pub")) return false;
  return SECRET_NAMES.test(baseName(path)) || SECRET_FOLDERS.test(path) || SECRET_FILES.test(path);
};

/** The name of an environment variable with a key or a password. */
export const SECRET_VARIABLES =
  /(?:^|_)(?:SECRETS?|TOKENS?|PASSWORDS?|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)_?KEY(?:_ID)?)(?:_|$)/iu;

const ALWAYS = new Set(
  (
    "curl wget aria2c http https ssh scp sftp ftp telnet nc ncat netcat socat ping dig nslookup host traceroute nmap gh glab npx pnpx bunx " +
    "uvx aws gcloud az kubectl helm heroku vercel netlify flyctl wrangler terraform"
  ).split(" "),
);
const VERBS: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|fetch|pull|push|ls-remote|submodule|remote)$/u,
  npm: /^(?:i|install|ci|add|update|upgrade|publish|audit|view|info|search|login|exec|x|create|init|dist-tag|unpublish)$/u,
  pnpm: /^(?:i|install|add|update|up|upgrade|publish|audit|dlx|create)$/u,
  yarn: /^(?:install|add|upgrade|up|publish|npm|dlx|create)$/u,
  bun: /^(?:i|install|add|update|publish|x|create)$/u,
  pip: /^(?:install|download|search)$/u,
  pip3: /^(?:install|download|search)$/u,
  uv: /^(?:add|sync|pip|tool|publish|lock)$/u,
  poetry: /^(?:add|install|update|publish)$/u,
  cargo: /^(?:install|add|update|publish|search|fetch|login)$/u,
  go: /^(?:get|install|mod)$/u,
  gem: /^(?:install|update|push|fetch)$/u,
  bundle: /^(?:install|update)$/u,
  composer: /^(?:install|update|require)$/u,
  docker: /^(?:pull|push|login|build|run|compose)$/u,
  podman: /^(?:pull|push|login|build|run)$/u,
  brew: /^(?:install|upgrade|update|tap)$/u,
  apt: /^(?:install|update|upgrade|full-upgrade|dist-upgrade)$/u,
  "apt-get": /^(?:install|update|upgrade|dist-upgrade)$/u,
  dnf: /^(?:install|update|upgrade)$/u,
  yum: /^(?:install|update|upgrade)$/u,
  apk: /^(?:add|update|upgrade)$/u,
  pacman: /^-S/u,
};

/** What it connects to, according to its words. Undefined: it does not look like it uses the network. */
export const networkUse = (program: string, args: readonly string[]): string | undefined => {
  if (args.some((word) => /^(?:--version|--help|-h|-V)$/u.test(word)) && args.length === 1) return undefined;
  if (ALWAYS.has(program)) {
    const host = args.flatMap(
      (word) => /^(?:[a-z][\w+.-]*:\/\/)?(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)(?=[/:]|$)/iu.exec(word)?.[1] ?? [],
    );
    return host.length === 0 ? program : `${program} to ${host[0]!}`;
  }
  if (program === "rsync")
    return args.some((word) => /^[\w.@-]+::?/u.test(word) && !word.startsWith("-")) ? "rsync" : undefined;
  // `git -C folder push`
  const own = program === "git" && /^-[cC]$/u.test(args[0] ?? "") ? args.slice(2) : args;
  const verb = own.find((word) => !word.startsWith("-") || program === "pacman");
  if (!Object.hasOwn(VERBS, program) || verb === undefined) return undefined;
  return VERBS[program]!.test(verb) ? `${program} ${verb}` : undefined;
};

const LAST: ReadonlySet<string> = new Set(["cp", "install", "rsync", "scp"]);
const ALL: ReadonlySet<string> = new Set("rm rmdir mkdir touch tee truncate mv shred unlink".split(" "));
/** The first bare word is a mode or an owner. */
const BEHIND_FIRST: ReadonlySet<string> = new Set(["chmod", "chown", "chgrp"]);

/** Paths that a program writes, creates or deletes. */
export const written = (program: string, args: readonly string[]): readonly string[] => {
  const bare = bareArgs(args);
  if (ALL.has(program)) return bare;
  if (BEHIND_FIRST.has(program)) return bare.slice(1);
  if (LAST.has(program)) {
    const target = args.findIndex((word) => word === "-t" || word === "--target-directory");
    const to = target === -1 ? (bare.length > 1 ? bare.at(-1) : undefined) : args[target + 1];
    // `host:path` is another machine.
    return to === undefined || /^[\w.@-]+:/u.test(to) ? [] : [to];
  }
  if (program === "ln") return bare.length > 1 ? [bare.at(-1)!] : [];
  if (program === "dd") return args.flatMap((word) => (word.startsWith("of=") ? [word.slice(3)] : []));
  if (program === "sed") return args.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/u.test(word)) ? bare.slice(1) : [];
  if (program === "curl" || program === "wget") {
    const at = args.findIndex((word) => /^(?:-o|--output|-O|--output-document|-P)$/u.test(word));
    const to = at === -1 || (program === "curl" && args[at] === "-O") ? undefined : args[at + 1];
    return to === undefined ? [] : [to];
  }
  if (program === "tar" || program === "unzip") {
    const at = args.findIndex((word) => word === "-C" || word === "--directory" || word === "-d");
    return at === -1 || args[at + 1] === undefined ? [] : [args[at + 1]!];
  }
  return [];
};
