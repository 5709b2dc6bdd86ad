import { assert, describe, it } from "@effect/vitest"
import * as AdminClient from "@wcs/admin/AdminClient"
import { RefusalCode, refusalStatus } from "@wcs/admin/AdminRefused"
import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"

/** Sends a command to a server that answers with this response, or fails with this cause. */
const sent = (answer: Response | Error) =>
  AdminClient.make.pipe(
    Effect.flatMap((client) => client.listTenants()),
    Effect.flip,
    Effect.provideService(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        answer instanceof Response
          ? Effect.succeed(HttpClientResponse.fromWeb(request, answer))
          : Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.TransportError({ request, cause: answer })
              })
            )
      )
    )
  )

const broken = new ReadableStream({ start: (controller) => controller.error(new Error("aborted")) })

const failure = (code: string) => Object.assign(new Error("the socket failed"), { code })

describe("a command that is refused", () => {
  for (const code of RefusalCode.literals) {
    const status = refusalStatus[code]
    it.effect(`has the code ${code} with status ${status}`, () =>
      Effect.gen(function* () {
        const refused = Response.json({ _tag: "AdminRefused", code, message: "because" }, { status })
        const error = yield* sent(refused)
        assert.deepInclude(error, { _tag: "AdminRefused", code, message: "because" })
      })
    )
  }
})

describe("a command without a valid answer", () => {
  const table: ReadonlyArray<readonly [string, Response | Error, string]> = [
    ["the server fails", new Response(null, { status: 500 }), "internal error of the server; see its log"],
    [
      "the result has another shape",
      Response.json({ tenants: 1 }),
      "the server has another version than this command; use the same version"
    ],
    [
      "the connection breaks during the answer",
      new Response(broken),
      "the server stopped before it answered; try again"
    ],
    [
      "the connection breaks before the answer",
      failure("ECONNRESET"),
      "the server stopped before it answered; try again"
    ],
    ["the socket is not accessible", failure("EACCES"), "Error: the socket failed"]
  ]
  for (const [when, answer, sentence] of table) {
    it.effect(`fails with one sentence when ${when}`, () =>
      Effect.gen(function* () {
        const error = yield* sent(answer)
        assert.isFalse(AdminClient.isNobody(error))
        if (error._tag === "AdminRefused") return assert.fail("not refused")
        assert.strictEqual(AdminClient.brokenAnswer(error, String), sentence)
      })
    )
  }

  it.effect("finds nobody when no server listens", () =>
    Effect.gen(function* () {
      for (const code of ["ENOENT", "ECONNREFUSED", "ENOTDIR"]) {
        assert.isTrue(AdminClient.isNobody(yield* sent(failure(code))))
      }
    })
  )
})
