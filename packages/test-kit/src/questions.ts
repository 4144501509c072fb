// Questions that scripted models ask with AskUserQuestion.

export const ONE_COLOUR = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

export const SEVERAL_SIZES = {
  question: "Which sizes?",
  header: "Sizes",
  multiSelect: true,
  options: [
    { label: "S", description: "small" },
    { label: "L", description: "large" },
  ],
};
