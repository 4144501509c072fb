import type { Scenario } from "./scenario.ts";
export const DEMO_PROMPTS: readonly { readonly text: string; readonly shows: string }[] = [];
export const demoScenario: Scenario = { name: "demo", scripts: [] };
