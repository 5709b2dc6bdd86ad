import { assert, layer } from "@effect/vitest"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer, Option } from "effect"
import { Statement } from "effect/sql"
import { applicant, complianceCheck, credential, Service, worker } from "./Service.ts"
import { layerService } from "./TestService.ts"

/** All statements of requests, without BEGIN and COMMIT. The worker's own statements are excluded. */
const ran: Array<string> = []

const noting = Layer.succeed(Statement.CurrentTransformer, (statement, _sql, fiber) => {
  if (Option.isSome(Context.getOption(fiber.context, RequestId))) ran.push(statement.compile()[0])
  return Effect.succeed(statement)
})

/** The number of statements of a call. */
const counted = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { call } = yield* Service
  ran.length = 0
  const answer = yield* call({ method, path: `/openapi/v1${path}`, ...(body === undefined ? {} : { body }) })
  assert.isBelow(answer.status, 300, answer.text)
  return [...ran]
})

layer(layerService().pipe(Layer.provide(noting)), { excludeTestServices: true })("statements per call", (it) => {
  // `store-sql/test/Statements.test.ts` counts the statements of each change.
  it.effect("with a cached token, a read and a page take one statement, a page with its total two, a link five", () =>
    Effect.gen(function* () {
      const id = yield* credential({ worker: yield* worker() })
      assert.lengthOf(yield* counted("GET", `/credentials/${id}`), 1)
      assert.lengthOf(yield* counted("GET", "/workers?pageSize=5"), 1)
      assert.lengthOf(yield* counted("GET", "/credentials?ownerExternalId=e-1&includeTotal=true"), 2)
      const owner = { type: "applicant", id: yield* applicant() }
      assert.isAtMost((yield* counted("POST", `/credentials/${id}/link`, owner)).length, 5)
    })
  )

  it.effect(
    "an evaluation reads the check once, each worker once, and the credentials, exemptions and bans of each once",
    () =>
      Effect.gen(function* () {
        const ids = yield* Effect.replicateEffect(worker(), 3)
        for (const id of ids) yield* credential({ worker: id })
        const requirement = { credentialTypes: ["FIRST_AID"], exemptionsCount: true }
        const path = `/compliance-checks/${yield* complianceCheck({ requirement })}/evaluate`
        assert.lengthOf(yield* counted("POST", path, { workers: ids.map((id) => ({ id })) }), 1 + 3 + 3 * 3)
        assert.lengthOf(yield* counted("POST", path, { workers: Array(100).fill({ id: ids[0] }) }), 1 + 100 + 3)
        assert.lengthOf(yield* counted("POST", `${path}?pageSize=3`), 1 + 1 + 3 * 3)
        const plain = `/compliance-checks/${yield* complianceCheck()}/evaluate`
        assert.lengthOf(yield* counted("POST", `${plain}?pageSize=3`), 1 + 1 + 2 * 3)
      })
  )

  it.effect("a compliance matrix reads checks, workers and their kept results once each", () =>
    Effect.gen(function* () {
      for (const id of yield* Effect.replicateEffect(worker(), 6)) yield* credential({ worker: id })
      const requirement = { credentialTypes: ["FIRST_AID"], exemptionsCount: true }
      const [one, two] = [yield* complianceCheck({ requirement }), yield* complianceCheck()]
      for (const pageSize of [1, 6]) {
        const path = `/compliance-matrix?pageSize=${pageSize}&sort=createdAt:desc&checkId=${two}&checkId=${one}`
        // Until the worker has kept all results, those that are missing are evaluated.
        const isKept = (ran: ReadonlyArray<unknown>) => {
          assert.isAtMost(ran.length, 1 + 1 + 1 + 3 * pageSize)
          return ran.length === 1 + 1 + 1
        }
        yield* Effect.repeat(counted("GET", path), { until: isKept })
      }
    })
  )

  it.effect(
    "R16: a page of the report of verifications reads workers once, and the credentials of each worker once",
    () =>
      Effect.gen(function* () {
        for (const id of yield* Effect.replicateEffect(worker(), 6)) yield* credential({ worker: id })
        for (const pageSize of [1, 6]) {
          const path = `/reports/verifications?pageSize=${pageSize}&sort=createdAt:desc`
          assert.lengthOf(yield* counted("GET", path), 1 + pageSize)
        }
      })
  )

  it.effect("a page takes one statement, and one more for the credentials of each worker, or each type of owner", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      yield* credential({ worker: id })
      assert.lengthOf(yield* counted("GET", `/workers/${id}?include=credentials`), 1 + 1)
      assert.lengthOf(yield* counted("GET", "/workers?pageSize=1&include=credentials"), 1 + 1)
      const person = yield* applicant()
      for (let count = 0; count < 5; count++) yield* credential({ worker: yield* worker(), applicant: person })
      const alone = yield* credential({ worker: yield* worker() })
      assert.lengthOf(yield* counted("GET", "/credentials?sort=createdAt:desc&pageSize=6&include=owners"), 1 + 2)
      assert.lengthOf(yield* counted("GET", `/credentials/${alone}?include=owners`), 1 + 1)
    })
  )
})
