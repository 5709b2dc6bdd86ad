import type { AdminCommand, AdminRefused, AdminResult } from "@wcs/http-node/admin/AdminCommand"
import * as AdminSocket from "@wcs/http-node/admin/AdminSocket"
import * as Settings from "@wcs/http-node/Settings"
import { socketOf } from "@wcs/http-node/stores/DataDirectory"
import { Effect, Schedule } from "effect"
import { Failed, type Misused } from "./Output.ts"

/** The maximum time between a server locking the store and listening on its socket. */
const startingMillis = 5_000
const retryMillis = 50

/** Why a command failed. */
export type Refusal = AdminRefused | AdminSocket.BrokenAnswer | AdminSocket.NobodyListens

/** A sequence of commands. */
export type Work<A> = (ask: Ask) => Effect.Effect<A, Refusal | Failed | Misused>

/** Runs one command. */
export type Ask = (command: AdminCommand) => Effect.Effect<AdminResult, Refusal>

/** Works on the store itself, without a server. Imports the server modules. */
const workHere = Effect.fnUntraced(function* <A>(work: Work<A>) {
  const serve = yield* Effect.promise(() => import("@wcs/http-node/Serve"))
  const { run } = yield* Effect.promise(() => import("@wcs/http-node/admin/AdminCommand"))
  const working = Effect.flatMap(Effect.context<Effect.Services<ReturnType<typeof run>>>(), (context) =>
    work((command) => Effect.provideContext(run(command), context))
  )
  return yield* Effect.provide(working, serve.layerAdministration)
})

/**
 * Sends commands to the server on the data directory. Without a server, works on the store itself. If the server stops
 * meanwhile, starts again without it.
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
