// How many subagents a session has started and how they ended: `subagent_stats` of a result.
import type { Json } from "./json.ts";

export interface AgentStats {
  spawned: number;
  background: number;
  foreground: number;
  unset: number;
  startedInBackground: number;
  maxDepth: number;
  bySubagents: number;
  completed: number;
  failed: number;
  killedByUser: number;
  readonly byType: Record<string, number>;
}

export const newAgentStats = (): AgentStats => ({
  spawned: 0,
  background: 0,
  foreground: 0,
  unset: 0,
  startedInBackground: 0,
  maxDepth: 0,
  bySubagents: 0,
  completed: 0,
  failed: 0,
  killedByUser: 0,
  byType: {},
});

export const subagentStatsOf = (stats: AgentStats): Json => ({
  spawned: stats.spawned,
  requested: { background: stats.background, foreground: stats.foreground, unset: stats.unset },
  started_in_background: stats.startedInBackground,
  max_depth: stats.maxDepth,
  spawned_by_subagents: stats.bySubagents,
  completed: stats.completed,
  failed: stats.failed,
  killed: { parent: 0, user: stats.killedByUser, system: 0 },
  refused: { depth_limit: 0, concurrency_limit: 0, budget: 0 },
  by_type: { ...stats.byType },
});
