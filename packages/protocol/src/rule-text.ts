// A permission rule as text, in the form of settings files: `Bash`, or `Bash(npm test:*)`.

/** A part of `PermissionRule`: what the text shows. */
export interface RuleParts {
  readonly toolName: string;
  readonly ruleContent?: string | undefined;
}

export const ruleText = ({ toolName, ruleContent }: RuleParts): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

/** Undefined if the text is not a rule. */
export const parseRule = (text: string): { toolName: string; ruleContent?: string } | undefined => {
  const match = /^([A-Za-z_][\w*-]*)(?:\((.*)\))?$/su.exec(text.trim());
  if (match === null || match[2] === "") return undefined;
  return match[2] === undefined ? { toolName: match[1]! } : { toolName: match[1]!, ruleContent: match[2] };
};
