// Paths that the server never shows, with the reason for each group. `nobody` hides a path from every device. `admin`
// hides it from every role below admin. To add a path, add it to a group: the test next to this file checks every
// entry.
//
// - `home`: relative to the home folder. If a link is at this place, its target is hidden too.
// - `anywhere`: the last names of a path, in every folder.
// - `system`: absolute.
//
// `*` matches any characters of one name. An `anywhere` path of several names may not have one. A folder hides
// everything in it. A copy that an editor or a person left next to an `anywhere` name (`.env~`, `id_rsa.bak`) is hidden
// like the original. A hard link to a hidden file under another name is not noticed. To make a hard link, a program
// must already be able to read the file.

import { realpathSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";

export interface HiddenGroup {
  readonly why: string;
  readonly shownTo: "nobody" | "admin";
  readonly home?: readonly string[];
  readonly anywhere?: readonly string[];
  readonly system?: readonly string[];
  /** Names that match `anywhere` but contain no secrets. */
  readonly except?: readonly string[];
}

export const HIDDEN_GROUPS: readonly HiddenGroup[] = [
  {
    why: "Claude Code's login, its settings with keys in them, and every conversation of this user.",
    shownTo: "nobody",
    home: [".claude", ".config/claude", "Library/Application Support/Claude"],
    anywhere: [".claude.json*", ".credentials.json"],
  },
  {
    why: "Logins of other coding agents.",
    shownTo: "nobody",
    home: [".codex", ".gemini", ".config/github-copilot", ".local/share/opencode", ".aider.conf.yml", ".cursor"],
  },
  {
    why: "Private keys and the trust between machines.",
    shownTo: "nobody",
    home: [".config/age", ".config/sops", ".pki", ".putty"],
    anywhere: [
      ...[".ssh", ".gnupg", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"],
      ...["ssh_host_*_key", "*.ppk"],
    ],
    system: ["/etc/ssh", "/etc/ssl/private", "/etc/wireguard", "/etc/letsencrypt"],
  },
  {
    why: "Passwords in plain text that git, curl, databases and mail programs read.",
    shownTo: "nobody",
    home: [".config/git/credentials", ".my.cnf", ".msmtprc", ".config/msmtp", ".mbsyncrc", ".fetchmailrc", ".s3cfg"],
    anywhere: [
      ".git-credentials",
      ".netrc",
      "_netrc",
      ".pgpass",
      ".mylogin.cnf",
      ".authinfo",
      ".authinfo.gpg",
      ".htpasswd",
    ],
  },
  {
    why: "Tokens that publish packages.",
    shownTo: "nobody",
    home: [
      ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".m2/settings.xml", ".m2/settings-security.xml"],
      ...[".gradle/gradle.properties", ".nuget", ".config/NuGet", ".composer/auth.json", ".config/composer/auth.json"],
      ...[".bundle/config", ".config/pip", ".pip", ".config/pypoetry", ".local/share/uv/credentials", ".hex"],
    ],
    anywhere: [".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials"],
  },
  {
    why: "Logins of clouds and of their command lines.",
    shownTo: "nobody",
    home: [
      ...[".aws", ".azure", ".kube", ".oci", ".aliyun", ".bluemix", ".boto", ".config/gcloud", ".config/doctl"],
      ...[".config/hcloud", ".config/rclone", ".config/s3cmd", ".config/linode-cli", ".config/scw", ".fly", ".railway"],
      ...[".config/heroku", ".local/share/heroku", ".config/netlify", ".netlify", ".local/share/com.vercel.cli"],
      ...[".config/.wrangler", ".wrangler", ".cloudflared", ".config/ngrok", ".ngrok2", ".config/stripe", ".supabase"],
      ...[".databrickscfg", ".snowflake", ".snowsql", ".kaggle", ".huggingface", ".cache/huggingface/token"],
      ...[".cache/huggingface/stored_tokens", ".config/configstore", ".config/tailscale", ".config/syncthing"],
    ],
    anywhere: [
      ".aws/credentials",
      ".kube/config",
      ".docker/config.json",
      ".vault-token",
      ".terraform.d/credentials.tfrc.json",
    ],
    system: ["/run/secrets", "/var/run/secrets", "/etc/kubernetes"],
  },
  {
    why: "Logins of code hosts.",
    shownTo: "nobody",
    home: [".config/gh", ".config/hub", ".config/glab-cli", ".config/tea", ".terraformrc", ".arcrc"],
  },
  {
    why: "Password managers and keyrings.",
    shownTo: "nobody",
    home: [
      ...[".config/op", ".op", ".config/1Password", ".config/Bitwarden*", ".config/keepassxc", ".config/lastpass"],
      ...[".local/share/keyrings", ".local/share/kwalletd", ".lastpass", "Library/Keychains"],
      ...["Library/Group Containers", "Library/Application Support/1Password", "Library/Application Support/Bitwarden"],
    ],
    anywhere: [".password-store", "*.kdbx", "*.keychain-db"],
  },
  {
    why: "Browser profiles: cookies and saved passwords are logins.",
    shownTo: "nobody",
    home: [
      ...[".mozilla", ".config/google-chrome*", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge*"],
      ...[".config/vivaldi*", ".config/opera*", ".librewolf", ".zen", "snap/firefox", "snap/chromium", ".var/app"],
      ...["Library/Cookies", "Library/Safari", "Library/WebKit", "Library/Application Support/Google"],
      ...["Library/Application Support/Firefox", "Library/Application Support/BraveSoftware"],
      ...[
        "Library/Application Support/Microsoft Edge",
        "Library/Application Support/Arc",
        "Library/Application Support/Chromium",
      ],
    ],
  },
  {
    why: "Messages and mail, and the logins of the programs that show them.",
    shownTo: "nobody",
    home: [
      ...[
        ".thunderbird",
        ".config/Slack",
        ".config/discord",
        ".config/Signal",
        ".config/Element",
        ".local/share/TelegramDesktop",
      ],
      ...[".config/evolution", ".local/share/evolution", "Library/Messages", "Library/Mail"],
    ],
  },
  {
    why: "Wallets: the key gives access to the money.",
    shownTo: "nobody",
    home: [".bitcoin", ".ethereum", ".electrum", ".config/solana", ".monero"],
    anywhere: ["wallet.dat"],
  },
  {
    why: "Histories of shells and consoles: people type passwords there.",
    shownTo: "nobody",
    home: [
      ".zsh_sessions",
      ".bash_sessions",
      ".viminfo",
      ".local/state/bash/history",
      ".local/share/fish/fish_history",
    ],
    anywhere: [".*_history", ".histfile"],
  },
  {
    why: "In the server's own view, these files show its process, its environment and its open files.",
    shownTo: "nobody",
    system: ["/proc", "/sys", "/dev"],
  },
  {
    why: "Password hashes and rules of this machine.",
    shownTo: "nobody",
    system: ["/etc/shadow*", "/etc/gshadow*", "/etc/sudoers", "/etc/sudoers.d", "/etc/security", "/etc/krb5.keytab"],
  },
  {
    why: "Remote addresses and headers with tokens in them. The objects also hold old versions of hidden files.",
    shownTo: "admin",
    home: [".gitconfig", ".config/git"],
    anywhere: [".git", ".hg", ".svn", ".jj"],
  },
  {
    why: "Keys and passwords of a project. An admin may see them, because a project sometimes needs changes in them.",
    shownTo: "admin",
    anywhere: [
      ".env",
      ".env.*",
      ".env-*",
      ".env_*",
      "*.env",
      ".envrc",
      ".envrc.*",
      ".dev.vars",
      "*.tfvars",
      "*.tfstate",
      "*.tfstate.*",
      ".npmrc",
      ".yarnrc.yml",
    ],
    except: [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"],
  },
  {
    why: "Settings of Claude Code in a project, often with keys for servers. The trust inspection shows them only to admins, too.",
    shownTo: "admin",
    anywhere: [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"],
  },
  {
    why: "Names that private keys and service accounts usually have. Some files of this name hold no secret.",
    shownTo: "admin",
    anywhere: [
      ...["*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.agekey", "*.gpg"],
      ...["service-account*.json", "client_secret*.json", "kubeconfig", "secrets.json", "secrets.y*ml"],
      ...["secrets.toml", "credentials.json"],
    ],
  },
];

/** Variables that say where other programs keep their logins. Colons separate several paths. */
export const HIDDEN_BY_VARIABLE = [
  ...[
    "CLAUDE_SECURESTORAGE_CONFIG_DIR",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AZURE_CONFIG_DIR",
    "CLOUDSDK_CONFIG",
    "DOCKER_CONFIG",
  ],
  ...["GH_CONFIG_DIR", "GNUPGHOME", "GOOGLE_APPLICATION_CREDENTIALS", "HISTFILE", "KUBECONFIG", "NETRC"],
  ...["NPM_CONFIG_USERCONFIG", "PASSWORD_STORE_DIR", "PGPASSFILE", "SOPS_AGE_KEY_FILE"],
] as const;

export interface HiddenPathsOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Files and folders of the server and the CLI, which nobody sees. They need not exist yet. */
  readonly own: readonly string[];
}

/** Returns whether an absolute path is hidden. */
export type IsHidden = (path: string) => boolean;

export const hiddenPaths = (
  options: HiddenPathsOptions,
): { readonly fromEverybody: IsHidden; readonly belowAdmin: IsHidden } => ({
  fromEverybody: isHiddenBy(
    HIDDEN_GROUPS.filter(({ shownTo }) => shownTo === "nobody"),
    options,
  ),
  belowAdmin: isHiddenBy(HIDDEN_GROUPS, options),
});

/** Variables that move parts of the home folder. */
const XDG = [
  ["XDG_CONFIG_HOME", ".config/"],
  ["XDG_DATA_HOME", ".local/share/"],
  ["XDG_STATE_HOME", ".local/state/"],
  ["XDG_CACHE_HOME", ".cache/"],
] as const;

/** How long the target of a link is cached. */
const KEPT_MS = 1000;

const isHiddenBy = (groups: readonly HiddenGroup[], { home, env, own }: HiddenPathsOptions): IsHidden => {
  const homes = [...new Set([home, realOrSame(home)])];
  const inHome = groups.flatMap((group) => group.home ?? []);
  const inSystem = groups.flatMap((group) => group.system ?? []);
  const byVariable = HIDDEN_BY_VARIABLE.flatMap((name) => env[name]?.split(":") ?? []).filter(
    // A variable that names the home folder itself would hide all of it.
    (path) => isAbsolute(path) && !homes.some((folder) => isBelow(folder, normalize(path))),
  );
  const placed = [
    ...inSystem,
    ...homes.flatMap((folder) => inHome.map((path) => join(folder, path))),
    ...XDG.flatMap(([name, usual]) => {
      const folder = env[name];
      if (folder === undefined || !isAbsolute(folder)) return [];
      return inHome.flatMap((path) => (path.startsWith(usual) ? [join(folder, path.slice(usual.length))] : []));
    }),
  ];
  const plain = [...own, ...byVariable, ...placed.filter((path) => !path.includes("*"))];
  const byPlace = anyOf(placed.filter((path) => path.includes("*")).map(patternOf));
  const hasHiddenName = namesOf(groups);
  let known = { at: -Infinity, places: new Set<string>(), folders: new Map<string, boolean>() };
  const refresh = (): void => {
    const now = performance.now();
    if (now - known.at > KEPT_MS || known.folders.size > MOST_FOLDERS) {
      const places = new Set(plain.flatMap((path) => [fold(path), fold(realOrSame(path))]));
      known = { at: now, places, folders: new Map() };
    }
  };
  /** Callers ask about many files of one folder in a row, so the answer for the folder is cached. */
  const isHiddenAt = (path: string): boolean => {
    const { places, folders } = known;
    const slash = path.lastIndexOf("/");
    if (slash > 0) {
      const folder = path.slice(0, slash);
      let isHidden = folders.get(folder);
      if (isHidden === undefined) folders.set(folder, (isHidden = isHiddenAt(folder)));
      if (isHidden) return true;
    }
    return places.has(path) || hasHiddenName(path, path.slice(slash + 1)) || byPlace.test(path);
  };
  return (path) => {
    refresh();
    return isHiddenAt(fold(normalized(path)));
  };
};

/** Same as `normalize`, but fast for paths that are normalized already. */
export const normalized = (path: string): string => (/\/\.{0,2}(?:\/|$)/u.test(path) ? normalize(path) : path);

const MOST_FOLDERS = 20_000;

/** Whether an `anywhere` entry hides the last name of a path. */
const namesOf = (groups: readonly HiddenGroup[]): ((path: string, name: string) => boolean) => {
  const exact = new Set<string>();
  const endings = new Set<string>();
  const tails = new Map<string, string[]>();
  const others: string[] = [];
  for (const { anywhere = [], except = [] } of groups) {
    const not = except.length === 0 ? "" : `(?!(?:${except.map(patternOf).join("|")})$)`;
    for (const path of anywhere.map(fold)) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (path !== name) tails.set(name, [...(tails.get(name) ?? []), `/${path}`]);
      else if (/^\*\.[^.*]+$/u.test(path)) endings.add(path.slice(1));
      else if (path.includes("*")) others.push(not + patternOf(path));
      else exact.add(path);
    }
  }
  const isOther = anyOf(others);
  const isHidden = (path: string, name: string): boolean =>
    exact.has(name) ||
    endings.has(name.slice(name.lastIndexOf("."))) ||
    tails.get(name)?.some((tail) => path.endsWith(tail)) === true ||
    isOther.test(name);
  return (path, name) =>
    isHidden(path, name) ||
    originalsOf(name).some((original) => isHidden(path.slice(0, path.length - name.length) + original, original));
};

const COPY = /(?:~|#|\.(?:bak|backup|old|orig|save|tmp|lock|sw[a-p]))$/u;

/** The possible original names of a copy. Emacs writes `#name#` and `.#name`, vim `.name.swp`. */
const originalsOf = (name: string): readonly string[] => {
  if (!COPY.test(name) && !name.startsWith(".#")) return [];
  const original = name.replace(COPY, "").replace(/^\.?#/u, "");
  return original.startsWith(".") ? [original, original.slice(1)] : [original];
};

/** Without patterns, it matches nothing. */
const anyOf = (patterns: readonly string[]): RegExp =>
  new RegExp(patterns.length === 0 ? "(?!)" : `^(?:${patterns.join("|")})$`, "u");

/**
 * Compares names like a file system that ignores case. On other file systems this hides a little more. Characters that some file systems
 * ignore in names are removed.
 */
const fold = (path: string): string => {
  const plain = /^[\x20-\x7e]*$/u.test(path) ? path : foldLetters(path);
  return (plain.length > 1 && plain.endsWith("/") ? plain.replace(/\/+$/u, "") : plain).toLowerCase();
};
const foldLetters = (path: string): string =>
  path
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toUpperCase();

const patternOf = (path: string): string =>
  fold(path)
    .replaceAll(/[\\^$.+?()[\]{}|]/gu, String.raw`\$&`)
    .replaceAll("*", "[^/]*");

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** A path that does not exist is compared as it is spelled. */
const realOrSame = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    // Nothing is there, so nothing can be read from it.
    return path;
  }
};
