import type { AdminCommand, AdminRefused, AdminResult } from "@wcs/http-node/admin/AdminCommand"
import * as AdminSocket from "@wcs/http-node/admin/AdminSocket"
import * as Settings from "@wcs/http-node/Settings"
import { socketOf } from "@wcs/http-node/stores/DataDirectory"
import { Effect, Schedule } from "effect"
import { Failed, type Misused } from "./Output.ts"

/** How long a server that has the store already may take until it listens. */
const startingMillis = 5_000
const retryMillis = 50

/** Why a command was not carried out. */
export type Refusal = AdminRefused | AdminSocket.BrokenAnswer | AdminSocket.NobodyListens

/** What an administrator wants, step by step. */
export type Work<A> = (ask: Ask) => Effect.Effect<A, Refusal | Failed | Misused>

/** Does one thing that an administrator asks for. */
export type Ask = (command: AdminCommand) => Effect.Effect<AdminResult, Refusal>

/** On the store itself, which no server has. The server's modules are loaded only for this. */
const workHere = Effect.fnUntraced(function* <A>(work: Work<A>) {
  const serve = yield* Effect.promise(() => import("@wcs/http-node/Serve"))
  const { run } = yield* Effect.promise(() => import("@wcs/http-node/admin/AdminCommand"))
  const working = Effect.flatMap(Effect.context<Effect.Services<ReturnType<typeof run>>>(), (context) =>
    work((command) => Effect.provideContext(run(command), context))
  )
  return yield* Effect.provide(working, serve.layerAdministration)
})

/**
 * Asks the server if one runs on the data directory, and works on the store itself if none does. Where the server goes
 * away in the middle, the work begins again without it.
 */
export const operate = Effect.fnUntraced(
  function* <A>(work: Work<A>) {
    const { dataDirectory } = yield* Settings.Settings
    const socketFile = yield* socketOf(dataDirectory)
    return yield* work((command) => AdminSocket.ask(socketFile, command)).pipe(
      Effect.catchTag("NobodyListens", () => workHere(work)),
      Effect.retry({
        while: (error) => error._tag === "StartRefused" && error.isInUse === true,
        schedule: Schedule.spaced(retryMillis).pipe(Schedule.upTo({ duration: startingMillis }))
      })
    )
  },
  Effect.provide(Settings.layer),
  Effect.catchTags({
    AdminRefused: ({ code, message }) => Effect.fail(new Failed({ code, message })),
    BrokenAnswer: ({ message }) => Effect.fail(new Failed({ code: "UNAVAILABLE", message })),
    StartRefused: ({ message }) => Effect.fail(new Failed({ code: "UNAVAILABLE", message }))
  })
)
