// Which programs only read, with which options. `-x` stands alone, `-x:` takes a text, `-x#` a number.
// Facts of the CLI, written in our own form.

const table = (text: string): ReadonlyMap<string, "none" | "text" | "number"> =>
  new Map(
    text
      .trim()
      .split(/\s+/u)
      .map((flag): [string, "none" | "text" | "number"] =>
        flag.endsWith(":")
          ? [flag.slice(0, -1), "text"]
          : flag.endsWith("#")
            ? [flag.slice(0, -1), "number"]
            : [flag, "none"],
      ),
  );

export type FlagTable = ReturnType<typeof table>;

/** Any arguments: what they read is checked as a path. */
export const PLAIN_READERS = new Set(
  (
    "cal uptime cat head tail wc stat strings hexdump od nl id uname free df du locale groups nproc basename dirname realpath " +
    "cut paste tr column tac rev fold expand unexpand readlink diff true false sleep type"
  ).split(" "),
);
/** The same since 2.1.200. */
export const PLAIN_READERS_SINCE_200 = new Set("fmt comm cmp numfmt expr seq tsort pr".split(" "));
export const WHOLE_LINES_SINCE_200 = new Set(["node --version"]);
/** Not before 2.1.200. */
export const NEW_READERS = new Set("egrep fgrep pgrep fd fdfind printf test [ [[ lsof".split(" "));
/** Alone only. */
export const ALONE = new Set(["pwd", "whoami", "alias"]);
/** These very words. */
export const WHOLE_LINES = new Set([
  "claude -h",
  "claude --help",
  "node -v",
  "python --version",
  "python3 --version",
  "ip addr",
]);

const GREP =
  table(`-e: --regexp: -f: --file: -F --fixed-strings -G --basic-regexp -E --extended-regexp -P --perl-regexp -i
 --ignore-case --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count --color: --colour: -L
 --files-without-match -l --files-with-matches -m# --max-count# -o --only-matching -q --quiet --silent -s --no-messages -b
 --byte-offset -H --with-filename -h --no-filename --label: -n --line-number -T --initial-tab -u --unix-byte-offsets -Z --null -z
 --null-data -A# --after-context# -B# --before-context# -C# --context# --group-separator: --no-group-separator -a --text
 --binary-files: -I -D: --devices: -d: --directories: --exclude: --exclude-from: --exclude-dir: --include: -r --recursive -R
 --dereference-recursive --line-buffered -U --binary --help -V --version`);
const SUM = table(
  `-b --binary -t --text -c --check --ignore-missing --quiet --status --strict -w --warn --tag -z --zero --help --version`,
);

const FD =
  table(`-h --help -V --version -H --hidden -I --no-ignore --no-ignore-vcs --no-ignore-parent -s --case-sensitive -i
 --ignore-case -g --glob --regex -F --fixed-strings -a --absolute-path -L --follow -p --full-path -0 --print0 -d# --max-depth#
 --min-depth# --exact-depth# -t: --type: -e: --extension: -S: --size: --changed-within: --changed-before: -o: --owner: -E:
 --exclude: --ignore-file: -c: --color: -j# --threads# --max-buffer-time: --max-results# -1 -q --quiet --show-errors
 --strip-cwd-prefix --one-file-system --prune --search-path: --base-directory: --path-separator: --batch-size# --no-require-git
 --hyperlink: --and: --format:`);

const GIT_REFS = "--all --branches --tags --remotes";
const GIT_DATES = "--since: --after: --until: --before:";
const GIT_LINES = "--oneline --graph --decorate --no-decorate --date: --relative-date";
const GIT_COUNT = "--max-count# -n#";
const GIT_STAT = "--stat --numstat --shortstat --name-only --name-status";
const GIT_COLOR = "--color --no-color";
const GIT_PATCH = "--patch -p --no-patch --no-ext-diff -s";
const GIT_PEOPLE = "--author: --committer: --grep:";

/** By the program, or by program and subcommand. Longer names come first. */
export const FLAG_TABLES: ReadonlyMap<string, FlagTable> = new Map([
  [
    "git diff",
    table(`${GIT_STAT} ${GIT_COLOR} --dirstat --summary --patch-with-stat --word-diff --word-diff-regex: --color-words
 --no-renames --no-ext-diff --check --ws-error-highlight: --full-index --binary --abbrev# --break-rewrites --find-renames
 --find-copies --find-copies-harder --irreversible-delete --diff-algorithm: --histogram --patience --minimal
 --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context# --function-context
 --exit-code --quiet --cached --staged --pickaxe-regex --pickaxe-all --no-index --relative: --diff-filter: -p -u -s -M -C -B -D -l
 -S: -G: -O: -R`),
  ],
  [
    "git log",
    table(`${GIT_LINES} ${GIT_REFS} ${GIT_DATES} ${GIT_COUNT} ${GIT_STAT} ${GIT_COLOR} ${GIT_PATCH} ${GIT_PEOPLE}
 --abbrev-commit --full-history --dense --sparse --simplify-merges --ancestry-path --source --first-parent --merges --no-merges
 --reverse --walk-reflogs --skip# --max-age# --min-age# --no-min-parents --no-max-parents --follow --no-walk --left-right
 --cherry-mark --cherry-pick --boundary --topo-order --date-order --author-date-order --pretty: --format: --diff-filter: -S: -G:
 --pickaxe-regex --pickaxe-all`),
  ],
  [
    "git show",
    table(`${GIT_LINES} ${GIT_STAT} ${GIT_COLOR} ${GIT_PATCH} --abbrev-commit --word-diff --word-diff-regex:
 --color-words --pretty: --format: --first-parent --raw --diff-filter: -m --quiet`),
  ],
  [
    "git shortlog",
    table(`${GIT_REFS} ${GIT_DATES} -s --summary -n --numbered -e --email -c --committer --group: --format:
 --no-merges --author:`),
  ],
  ["git reflog", table(`${GIT_LINES} ${GIT_REFS} ${GIT_DATES} ${GIT_COUNT} ${GIT_PEOPLE}`)],
  ["git stash list", table(`${GIT_LINES} ${GIT_REFS} ${GIT_COUNT}`)],
  [
    "git stash show",
    table(`${GIT_STAT} ${GIT_COLOR} ${GIT_PATCH} --word-diff --word-diff-regex: --diff-filter: --abbrev#`),
  ],
  [
    "git ls-remote",
    table("--branches -b --tags -t --heads -h --refs --quiet -q --exit-code --get-url --symref --sort:"),
  ],
  [
    "git status",
    table(`--short -s --branch -b --porcelain --long --verbose -v --untracked-files: -u: --ignored
 --ignore-submodules: --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames: -M:`),
  ],
  [
    "git blame",
    table(`${GIT_COLOR} -L: --porcelain -p --line-porcelain --incremental --root --show-stats --show-name
 --show-number -n --show-email -e -f --date: -w --ignore-rev: --ignore-revs-file: -M -C --score-debug --abbrev# -s -l -t`),
  ],
  [
    "git ls-files",
    table(`--cached -c --deleted -d --modified -m --others -o --ignored -i --stage -s --killed -k --unmerged -u
 --directory --no-empty-directory --eol --full-name --abbrev# --debug -z -t -v -f --exclude: -x: --exclude-from: -X:
 --exclude-per-directory: --exclude-standard --error-unmatch --recurse-submodules`),
  ],
  [
    "git config --get",
    table(`--local --global --system --worktree --default: --type: --bool --int --bool-or-int --path
 --expiry-date -z --null --name-only --show-origin --show-scope`),
  ],
  ["git remote show", table("-n")],
  ["git remote", table("-v --verbose")],
  ["git merge-base", table("--is-ancestor --fork-point --octopus --independent --all")],
  [
    "git rev-parse",
    table(`--verify --short: --abbrev-ref --symbolic --symbolic-full-name --show-toplevel --show-cdup
 --show-prefix --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository
 --is-shallow-repository --is-shallow-update --path-prefix`),
  ],
  [
    "git rev-list",
    table(`${GIT_REFS} ${GIT_DATES} ${GIT_COUNT} ${GIT_PEOPLE} --count --reverse --first-parent --ancestry-path
 --merges --no-merges --min-parents# --max-parents# --no-min-parents --no-max-parents --skip# --max-age# --min-age#
 --walk-reflogs --oneline --abbrev-commit --pretty: --format: --abbrev# --full-history --dense --sparse --source --graph`),
  ],
  [
    "git describe",
    table(`--tags --match: --exclude: --long --abbrev# --always --contains --first-match --exact-match
 --candidates# --dirty --broken`),
  ],
  ["git cat-file", table("-t -s -p -e --batch-check --allow-undetermined-type")],
  [
    "git for-each-ref",
    table(`--format: --sort: --count# --contains: --no-contains: --merged: --no-merged: --points-at:`),
  ],
  [
    "git grep",
    table(`-e: -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -i --ignore-case -v
 --invert-match -w --word-regexp -n --line-number -c --count -l --files-with-matches -L --files-without-match -h -H --heading
 --break --full-name --color --no-color -o --only-matching -A# --after-context# -B# --before-context# -C# --context# --and --or
 --not --max-depth# --untracked --no-index --recurse-submodules --cached --threads# -q --quiet`),
  ],
  ["git worktree list", table("--porcelain -v --verbose --expire:")],
  [
    "git tag",
    table(`-l --list -n# --contains: --no-contains: --merged: --no-merged: --sort: --format: --points-at: --column
 --no-column -i --ignore-case`),
  ],
  [
    "git branch",
    table(`-l --list -a --all -r --remotes -v -vv --verbose ${GIT_COLOR} --column --no-column --abbrev# --no-abbrev
 --contains: --no-contains: --merged --no-merged --points-at: --sort: --show-current -i --ignore-case`),
  ],
  ["docker logs", table("--follow -f --tail: -n: --timestamps -t --since: --until: --details")],
  ["docker inspect", table("--format: -f: --type: --size -s")],
  ["grep", GREP],
  ["egrep", GREP],
  ["fgrep", GREP],
  [
    "rg",
    table(`-e: --regexp: -f: -i --ignore-case -S --smart-case -F --fixed-strings -w --word-regexp -v --invert-match -c --count
 -l --files-with-matches --files-without-match -n --line-number -o --only-matching -A# --after-context# -B# --before-context#
 -C# --context# -H -h --heading --no-heading -q --quiet --column -g: --glob: -t: --type: -T: --type-not: --type-list --hidden
 --no-ignore -u -m# --max-count# -d# --max-depth# -a --text -L --follow --color: --json --stats --help --version --debug`),
  ],
  [
    "file",
    table(`--brief -b --mime -i --mime-type --mime-encoding --apple --check-encoding -c --exclude: --exclude-quiet: --print0
 -0 -F: --separator: --help --version -v --no-dereference -h --dereference -L --keep-going -k --list -l --no-buffer -n
 --preserve-date -p --raw -r -s --special-files`),
  ],
  [
    "sort",
    table(`--ignore-leading-blanks -b --dictionary-order -d --ignore-case -f --general-numeric-sort -g
 --human-numeric-sort -h --ignore-nonprinting -i --month-sort -M --numeric-sort -n --random-sort -R --reverse -r --sort:
 --stable -s --unique -u --version-sort -V --zero-terminated -z --key: -k: --field-separator: -t: --check -c
 --check-char-order -C --merge -m --buffer-size: -S: --parallel# --batch-size# --help --version`),
  ],
  ["man", table("-a --all -d -f --whatis -h -k --apropos -w -S: -s:")],
  ["help", table("-d")],
  ["netstat", table("-a -L -l -n -f: -g -i -I: -s -r -m -v")],
  [
    "ps",
    table(`-A -a -d -N --deselect -f -F -l -j -y -w -ww --width# -c -H --forest --headers --no-headers -n: --sort: -L -T -m -C:
 -G: -g: -p: --pid: -q: --quick-pid: -s: --sid: -t: --tty: -U: -u: --user: --help --info -V --version -e`),
  ],
  ["base64", table("-d -D --decode -b# --break# -w# --wrap# -i: --input: --ignore-garbage -h --help --version")],
  ["sha256sum", SUM],
  ["sha1sum", SUM],
  ["md5sum", SUM],
  [
    "tree",
    table(`-a -d -l -f -x -L# -P: -I: --gitignore --gitfile: --ignore-case --matchdirs --metafirst --prune --info --infofile:
 --noreport --charset: --filelimit# -q -N -Q -p -u -g -s -h --si --du -D --timefmt: -F --inodes --device -v -t -c -U -r
 --dirsfirst --filesfirst --sort: -i -A -S -n -C -X -J -H: --nolinks --hintro: --houtro: -T: --hyperlink --scheme: --authority:
 --fromfile --fromtabfile --fflinks --help --version`),
  ],
  [
    "date",
    table(`-d: --date: -r: --reference: -u --utc --universal -I --iso-8601: -R --rfc-email --rfc-3339: --debug --help
 --version`),
  ],
  [
    "hostname",
    table(`-f --fqdn --long -s --short -i --ip-address -I --all-ip-addresses -a --alias -d --domain -A --all-fqdns -v
 --verbose -h --help -V --version`),
  ],
  [
    "which",
    table(
      "-a --all -s -p -w --skip-dot --skip-tilde --show-dot --show-tilde --skip-alias --skip-functions -v -V --version --help",
    ),
  ],
  [
    "pgrep",
    table(`-d: --delimiter: -l --list-name -a --list-full -v --inverse -w --lightweight -c --count -f --full -g: --pgroup: -G:
 --group: -i --ignore-case -n --newest -o --oldest -O: --older: -P: --parent: -s: --session: -t: --terminal: -u: --euid: -U: --uid:
 -x --exact -F: --pidfile: -L --logpidfile -r: --runstates: --ns: --nslist: --help -V --version`),
  ],
  [
    "lsof",
    table(
      "-h -v -a -b -C -l -n -N -O -P -Q -R -t -U -V -X -H -E -F -g -i -K -L -o -r -s -S -T -x -A: -c: -d: -e: -k: -p: -u:",
    ),
  ],
  [
    "uniq",
    table(`-c --count -d --repeated -D -u --unique -i --ignore-case -z --zero-terminated -f# -s# -w# --skip-fields#
 --skip-chars# --check-chars# --help --version`),
  ],
  [
    "test",
    table(`-b: -c: -d: -e: -f: -g: -G: -h: -k: -L: -N: -O: -p: -r: -s: -S: -t: -u: -w: -x: -z: -n: -eq: -ne: -lt: -le: -gt: -ge:
 -nt: -ot: -ef:`),
  ],
  ["fd", FD],
  ["fdfind", FD],
  ["xargs", table("-I: -n# -P# -L# -s# -E: -0 -t -r -x -d:")],
]);

/** What xargs may start. */
export const XARGS_TARGETS = new Set(["echo", "printf", "wc", "grep", "egrep", "fgrep", "head", "tail"]);

/** These may get file names from a pattern such as `*.ts`. */
export const GLOB_READERS = new Set(
  (
    "ls cat head tail wc stat grep egrep fgrep diff du df echo strings hexdump od nl cut column tr tac rev cmp basename dirname " +
    "realpath readlink sha256sum sha1sum md5sum cd"
  ).split(" "),
);

/** Options of find that change files or start programs. */
export const FIND_ACTIONS = new Set(
  "-delete -rm -exec -execdir -ok -okdir -fprint -fprint0 -fls -fprintf -files0-from".split(" "),
);
