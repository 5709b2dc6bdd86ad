import { countCommits } from "./CommitCount.ts"
import { answerQuestions } from "./load/Questions.ts"
import { meterSteps } from "./load/StepMeter.ts"
import { raisedLimits, type ServerOptions, type Side, type SideName } from "./Side.ts"

/** A server's resources and COMMITs since its start. */
export interface ServerSample {
  readonly cpuMillis: number
  readonly commits: number
  readonly residentBytes: number
}

/** Loads only the modules of this side. */
const startSide = async (side: SideName, options: ServerOptions): Promise<Side> => {
  switch (side) {
    case "ours":
    case "timed":
    case "counted":
      return (await import("./Ours.ts")).start(options)
    case "single":
      return (await import("./Ours.ts")).start({ ...options, groupMax: 1 })
    case "floor":
      return (await import("./peers/Floor.ts")).start(options)
    case "fastify":
      return (await import("./peers/FastifyPeer.ts")).start(options)
    case "nestjs": {
      const { compileDecorators } = await import("./peers/Decorators.ts")
      compileDecorators()
      return (await import("./peers/nestjs/NestPeer.ts")).start(options)
    }
  }
}

/** Serves one side until the parent process disconnects. */
export const serve = async (side: SideName, directory: string): Promise<void> => {
  const commits = countCommits()
  const steps = side === "timed" || side === "counted" ? meterSteps(side === "counted") : undefined
  const { port } = await startSide(side, { directory, limits: raisedLimits })
  const sample = (): ServerSample => {
    const { system, user } = process.cpuUsage()
    return { cpuMillis: (system + user) / 1000, commits: commits(), residentBytes: process.memoryUsage.rss() }
  }
  answerQuestions({ sample, steps: () => steps?.() }, port)
}
