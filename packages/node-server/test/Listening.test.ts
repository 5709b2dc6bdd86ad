import { createServer } from "node:http"
import { assert, it } from "@effect/vitest"
import { ambiguityOf } from "@wcs/node-server/Framing"
import { serveOn } from "@wcs/node-server/Listening"
import { Effect, Exit } from "effect"
import { HttpServerResponse } from "effect/http"

const peer = { address: "192.0.2.1", secure: true }

it.effect("a request whose answer throws ends alone: the server answers the next one", () =>
  Effect.gen(function* () {
    let requests = 0
    const port = yield* serveOn(
      createServer(),
      { port: 0, host: "127.0.0.1", portVariable: "PORT", hostVariable: "HOST" },
      () => {
        if (++requests === 1) throw new Error("the answer throws")
        return Exit.succeed({ response: HttpServerResponse.empty({ status: 204 }), headers: {} })
      },
      { peerOf: () => peer, ambiguityOf }
    )
    const ask = Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(ask)))
    assert.strictEqual((yield* ask).status, 204)
  })
)
