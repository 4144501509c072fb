// Links in the project and outside of it.
import type { FileSpec } from "../case.ts";

export const LINKS: Readonly<Record<string, FileSpec>> = {
  "{{cwd}}/in.txt": { symlink: "{{cwd}}/a.txt" },
  "{{cwd}}/outlink": { symlink: "{{out}}/o.txt" },
  "{{cwd}}/outdir": { symlink: "{{out}}" },
  "{{cwd}}/relative": { symlink: "src/app.ts" },
  "{{cwd}}/dangling": { symlink: "{{out}}/none" },
  "{{out}}/back": { symlink: "{{cwd}}/a.txt" },
  "{{cwd}}/etc": { symlink: "/etc" },
  "{{cwd}}/two": { symlink: "{{cwd}}/outlink" },
};
