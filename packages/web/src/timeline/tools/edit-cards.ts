// Cards that compare two texts.

export { EditCard, WriteCard } from "./edit.tsx";
export { NotebookEditCard } from "./notebook.tsx";
