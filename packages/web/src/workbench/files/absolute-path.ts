/** `src/a.ts`, `./a.ts` and `../a.ts` are in the session's folder or near it. */
export const absolutePath = (path: string, cwd: string | undefined): string => {
  if (path.startsWith("/") || path.startsWith("~") || cwd === undefined) return path;
  const parts = cwd.split("/").filter((part) => part !== "");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.join("/")}`;
};
