// Editors that open a file of this machine by an address. Pure.

export interface Editor {
  readonly id: string;
  readonly name: string;
  readonly template: string;
}

/** The browser must run where the files are, or the editor must know the other machine. */
export const EDITORS: readonly Editor[] = [
  { id: "vscode", name: "VS Code", template: "vscode://file{path}:{line}:{column}" },
  { id: "cursor", name: "Cursor", template: "cursor://file{path}:{line}:{column}" },
  { id: "zed", name: "Zed", template: "zed://file{path}:{line}:{column}" },
  { id: "idea", name: "IntelliJ IDEA", template: "idea://open?file={path}&line={line}&column={column}" },
];

/** Addresses that a browser would follow or run itself are not editors. */
const OTHER = /^(?:https?|javascript|data|blob|file|about|view-source|vbscript|ws|wss|filesystem):/iu;

export const isEditorTemplate = (template: string): boolean =>
  /^[a-z][\w+.-]*:/iu.test(template) && !OTHER.test(template) && template.includes("{path}") && template.length < 500;

export interface EditorPlace {
  /** Absolute. */
  readonly path: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export const editorHref = (template: string, { path, line = 1, column = 1 }: EditorPlace): string =>
  template
    .replaceAll("{path}", path.split("/").map(encodeURIComponent).join("/"))
    .replaceAll("{line}", String(line))
    .replaceAll("{column}", String(column));
