import { isSideName } from "./Side.ts"

// One entry file for all processes of a run. Each loads only the modules that it needs.
const [role = "", ...words] = process.argv.slice(2)
const [first = "", second = ""] = words

switch (role) {
  case "serve": {
    if (!isSideName(first)) throw new Error(`there is no side ${first}`)
    const { serve } = await import("./ServerProcess.ts")
    await serve(first, second)
    break
  }
  case "statement": {
    const { serveStatement } = await import("./load/Statement.ts")
    serveStatement(first)
    break
  }
  case "receive": {
    const { receive } = await import("./load/Receiving.ts")
    await receive(Number(first))
    break
  }
  case "deliver": {
    const { deliver } = await import("./measurements/Deliverer.ts")
    await deliver(first)
    break
  }
  case "work": {
    const { deliverOnPostgres } = await import("./measurements/PostgresDeliver.ts")
    await deliverOnPostgres(first)
    break
  }
  case "load": {
    const { load } = await import("./load/Load.ts")
    const { openLoad } = await import("./load/OpenLoop.ts")
    const { answerQuestions } = await import("./load/Questions.ts")
    answerQuestions({ load, openLoad })
    break
  }
  default: {
    const { run } = await import("./Run.ts")
    process.exitCode = await run(process.argv.slice(2))
  }
}
