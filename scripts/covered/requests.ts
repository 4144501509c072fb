// What no table of the code says about control requests.

import type { Covered } from "./repository.ts";

/** Requests that the bridge does not pass on, and what a client has instead. */
export const NOT_FOR_CLIENTS: Readonly<Record<string, string>> = {
  initialize: "sent by the host when a process starts",
  mcp_message: "both ways: tools of the host's own process",
  set_permission_mode: "`session/setPermissionMode`, which checks the mode",
  rename_session: "`session/rename`, which also renames sessions without a process",
  set_has_subscribers: "not sent: the host always listens",
  end_session: "not sent: the host closes stdin",
  cancel_async_message: "`session/cancelPrompt`",
  read_file: "`files/read`, inside of the roots only",
  file_suggestions: "`files/mentions`, inside of the roots only",
  list_directory: "`files/list`, inside of the roots only",
  get_workspace_diff: "`changes/list`, which knows who changed what",
  claim_session: "not sent: only spare workers of the vendor take it",
};

/** Requests that the CLI sends. */
export const CLI_REQUESTS: Readonly<Record<string, Omit<Covered, "name">>> = {
  can_use_tool: {
    about: "a permission, a question or a plan",
    code: [
      "packages/session/src/requests.ts openRequest",
      "packages/host/src/session/answers.ts Answers",
      "packages/web/src/requests/permission-card.tsx PermissionCard",
    ],
    tests: [
      "e2e/page/requests.test.ts [E1]",
      "e2e/conformance/cases/permissions.ts permission-allow",
      "packages/session/src/rules.test.ts [R1]",
    ],
  },
  hook_callback: {
    about: "a hook of the host, or the policies of the host",
    code: [
      "packages/host/src/session/responders.ts Responders",
      "packages/host/src/policies/policy-gate.ts PolicyGate",
    ],
    tests: ["e2e/conformance/cases/hooks-and-mcp.ts hooks-callbacks", "packages/host/src/host.test.ts [H9]"],
  },
  elicitation: {
    about: "a form or an address of an MCP server",
    code: ["packages/web/src/requests/elicitation-card.tsx ElicitationCard"],
    tests: [
      "e2e/page/elicitation.test.ts [E5]",
      "e2e/page/elicitation-url.long.test.ts names the host, opens in a tab of its own",
    ],
  },
  request_user_dialog: {
    about: "a dialog of the CLI; the host declares none, so it can only be cancelled",
    code: ["packages/web/src/requests/dialog-card.tsx DialogCard", "packages/host/src/session/answers.ts Answers"],
    tests: [
      "packages/protocol/src/control-requests.test.ts is known, also with a new field",
      "packages/protocol/src/encode.test.ts build lines that decode to what was built",
    ],
  },
  mcp_message: {
    about: "a call of a tool in the host's own process",
    code: ["packages/host/src/session/responders.ts Responders"],
    tests: ["e2e/conformance/cases/hooks-and-mcp.ts mcp-in-process", "packages/host/src/host.test.ts [H9]"],
  },
};
