import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { deliveryDue, verificationDue } from "@wcs/domain/shared/Notifications"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Latch, Redacted } from "effect"
import { dataOf } from "./Calls.ts"
import { deployment, listener, receiver, sharing, until } from "./Machines.ts"
import { askPlainly, type Running, temporaryDirectory, wcs } from "./Process.ts"

const shared = Effect.gen(function* () {
  const environment = yield* sharing(Redacted.value(yield* freshDatabase))
  return { environment, tokenFile: join(yield* temporaryDirectory, "token") }
})

/** Sums a metric of the processes. */
const counted = Effect.fnUntraced(function* (processes: ReadonlyArray<Running>, counter: string) {
  const texts = yield* Effect.forEach(processes, ({ adminPort }) => askPlainly(adminPort, "/metrics"))
  const counts = texts.flatMap(({ text }) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`wcs_${counter}`))
      .map((line) => Number(line.split(" ").at(-1)))
  )
  return counts.reduce((sum, count) => sum + count, 0)
})

const isVerified = ({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) =>
  attributes["statusDetail"] === "VALID"

describe("separate servers and workers on one database", () => {
  it.live("VER-01, EVT-01: both servers read the data, and exactly one worker does the work", () =>
    Effect.gen(function* () {
      const { environment, tokenFile } = yield* shared
      const { listen } = yield* listener(environment)
      const first = { ...environment, WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: tokenFile }
      const { here, there, workers } = yield* deployment(environment, first)
      const token = readFileSync(tokenFile, "utf8").trim()
      const { received, url } = yield* receiver

      const worker = yield* dataOf(here, token, "/workers", { identity: { displayName: "Ann Example" } })
      assert.deepStrictEqual(yield* dataOf(there, token, `/workers/${worker.id}`), worker)

      const attributes = {
        credentialType: "WWCC_NSW",
        identifier: "WWC1234567E",
        holder: { lastName: "Example", birthDate: "1990-04-01" },
        owners: { worker: worker.id }
      }
      const { id } = yield* dataOf(there, token, "/credentials", { attributes })
      yield* until(dataOf(here, token, `/credentials/${id}`), isVerified)
      const events = ["credential.verified"]
      const webhook = yield* dataOf(here, token, "/webhooks", { name: "HR", url, events })

      // The server sends one notification and a worker the other. There are no more.
      const toldByServer = Latch.makeUnsafe(false)
      const toldByWorker = Latch.makeUnsafe(false)
      yield* listen(verificationDue, toldByServer)
      yield* listen(deliveryDue, toldByWorker)
      const verified = yield* dataOf(there, token, `/credentials/${id}/verify`, { forceRefresh: true })
      assert.strictEqual(verified.statusDetail, "VALID")
      yield* toldByServer.await
      yield* toldByWorker.await
      const log: ReadonlyArray<{ readonly id: string; readonly state: string }> = yield* until(
        dataOf(here, token, `/webhooks/${webhook.id}/deliveries`),
        (deliveries) => deliveries.some(({ state }: { readonly state: string }) => state === "DELIVERED")
      )

      const questions = "verification_questions_total"
      const attempts = "delivery_attempts_total"
      yield* until(counted(workers, attempts), (count) => count > 0)
      assert.strictEqual(yield* counted(workers, questions), 2) // one for the create, one for verify
      assert.strictEqual(yield* counted(workers, attempts), 1)
      for (const counter of [questions, attempts]) assert.strictEqual(yield* counted([here, there], counter), 0)

      for (const worker of workers) worker.signal("SIGTERM")
      for (const worker of workers) assert.strictEqual((yield* worker.ended).code, 0)
      // No process is left that could send it again.
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["x-service-delivery"]),
        log.map(({ id }) => id)
      )
      assert.lengthOf(received, 1)
    })
  )

  it.live("refuses a worker without a database", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryDirectory, "data")
      const { code, stderr, stdout } = yield* wcs(["worker"], { WCS_DATA: data, WCS_ADMIN_PORT: "0" })
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^wcs: wcs worker needs DATABASE_URL: [^\n]*\.\n$/)
    })
  )
})
