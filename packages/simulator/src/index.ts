export { chooseStep, withVariables } from "./scenario.ts";
export type {
  ApiBlock,
  ApiError,
  ApiMessage,
  Block,
  ChosenStep,
  Failure,
  Pace,
  Scenario,
  Script,
  Step,
  Usage,
} from "./scenario.ts";
export { runApi, startApi } from "./api.ts";
export type { Api, ApiOptions, RecordedRequest } from "./api.ts";
export { DEMO_CHAPTERS, DEMO_MCP, DEMO_PROMPTS, demoScenario } from "./demo.ts";
export type { DemoPrompt } from "./demo.ts";
export { FAULTS, parseFaults } from "./faults.ts";
export type { Fault, FaultName } from "./faults.ts";
export { VERSION as SIMULATED_VERSION } from "./catalogue.ts";
export { simulatorPath } from "./simulator-path.ts";
