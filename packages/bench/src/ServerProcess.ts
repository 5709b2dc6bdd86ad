import { countCommits } from "./CommitCount.ts"
import { answerQuestions } from "./load/Questions.ts"
import { raisedLimits, type ServerOptions, type Side, type SideName } from "./Side.ts"

/** What a server has used up and done since it started. */
export interface ServerSample {
  readonly cpuMillis: number
  readonly commits: number
  readonly residentBytes: number
}

/** Loads no more than the one side's modules. */
const startSide = async (side: SideName, options: ServerOptions): Promise<Side> => {
  switch (side) {
    case "ours":
      return (await import("./Ours.ts")).start(options)
    case "single":
      return (await import("./Ours.ts")).start({ ...options, groupMax: 1 })
    case "floor":
      return (await import("./peers/Floor.ts")).start(options)
    case "fastify":
      return (await import("./peers/FastifyPeer.ts")).start(options)
  }
}

/** Serves one side until the process that started this one lets go of it. */
export const serve = async (side: SideName, directory: string): Promise<void> => {
  const commits = countCommits()
  const { port } = await startSide(side, { directory, limits: raisedLimits })
  const sample = (): ServerSample => {
    const { system, user } = process.cpuUsage()
    return { cpuMillis: (system + user) / 1000, commits: commits(), residentBytes: process.memoryUsage.rss() }
  }
  answerQuestions({ sample }, port)
}
