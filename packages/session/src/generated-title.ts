// A title from the first prompt, for a session that nobody named. A person's title wins over the CLI's, and the CLI's
// over this one. Pure and linear: a prompt may be long and hostile.

const MOST_READ = 1000;
const MOST_CHARACTERS = 60;
/** A first sentence that is shorter says too little: "Hi. The upload fails since Monday." */
const LEAST_CHARACTERS = 8;

/** What people write before they say what they want. A greeting has a mark after it: "Hello world" is a request. */
const POLITE =
  /^(?:(?:hi|hello|hey|ok(?:ay)?|so|now)(?: there)?(?: claude)?[,.!:]\s*|please\b[\s,:]*|(?:can|could|would|will) you (?:please |kindly )?|(?:i(?:'d| would) like you to|i (?:want|need) you to|help me(?: to)?) )/iu;

export const generatedTitle = (prompt: string): string | undefined => {
  const line = prompt
    .slice(0, MOST_READ)
    // Pasted code does not become a title, unless the prompt has nothing else.
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, (block) => (block.length === prompt.length ? block.replaceAll("`", "") : " "))
    // Characters that nobody sees, and those that turn the text around.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  const wanted = line.startsWith("/") ? line : firstSentence(withoutMarks(withoutManners(line)));
  const title = shortened(wanted);
  return title === "" ? undefined : title;
};

const withoutManners = (line: string): string => {
  let rest = line;
  for (let word = 0; word < 4; word += 1) {
    const next = rest.replace(POLITE, "").trimStart();
    if (next === rest || next === "") break;
    rest = next;
  }
  return rest;
};

/** `@src/upload.ts` is "upload.ts". Marks of headings, lists, emphasis and code are removed. */
const withoutMarks = (line: string): string =>
  line
    .replace(/^(?:#{1,6}|[-*+>]|\d{1,3}[.)]) /u, "")
    .replaceAll(/(^|[\s(])@"?([^\s"]+)"?/gu, (_, before: string, path: string) => {
      const name = path.replace(/\/+$/u, "").split("/").at(-1);
      return `${before}${name === undefined || name === "" ? path : name}`;
    })
    .replaceAll(/[*_]{2}|`/gu, "")
    .trim();

const firstSentence = (line: string): string => {
  for (const { index } of line.matchAll(/[.!?:;](?= )/gu)) if (index >= LEAST_CHARACTERS) return line.slice(0, index);
  return line;
};

const shortened = (line: string): string => {
  if (line.length <= MOST_CHARACTERS) return line.replace(/[\s.,:;!]+$/u, "");
  const cut = line.slice(0, MOST_CHARACTERS);
  const blank = cut.lastIndexOf(" ");
  // One long word, such as an address, is cut inside.
  const words = blank > MOST_CHARACTERS / 2 ? cut.slice(0, blank) : cut;
  return `${words.replace(/[\s.,:;!\uD800-\uDBFF]+$/u, "")}…`;
};
