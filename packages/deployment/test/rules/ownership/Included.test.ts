import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, engaging, tokenOf, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, idOfNothing } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { list, pathOf } from "../resource/Listing.ts"

const shown = (path: string) => Effect.map(get(path), (answer) => at(answer, "data"))

const credentialsOf = (ids: ReadonlyArray<string>) => Effect.forEach(ids, (id) => shown(`/credentials/${id}`))

layer(layerService(), { excludeTestServices: true })("workers with credentials, and credentials with owners", (it) => {
  it.effect("CRD-04, CRD-05: a worker shows each credential as its own GET does, in the order of creation", () =>
    Effect.gen(function* () {
      const [id, person] = [yield* worker(), yield* applicant()]
      const held = [
        yield* verified(
          { worker: id },
          {
            ...{ credentialType: "WWCC_VIC", identifier: "1234567A-01" },
            holder: { lastName: "Example" }
          }
        ),
        yield* engaging(id, { expiryDate: "2001-01-01" }),
        yield* credential({ worker: id, applicant: person })
      ]
      yield* credential({ applicant: person })
      const credentials = yield* credentialsOf(held)
      const [answer] = yield* Row.run([
        {
          call: `GET /workers/${id}?include=credentials`,
          // A lapsed one reads as lapsed here too.
          expect: { "data.credentials.1.attributes.statusDetail": "EXPIRED", "meta.warnings": undefined }
        }
      ])
      assert.deepStrictEqual(at(answer, "data"), { ...Object(yield* shown(`/workers/${id}`)), credentials })
      yield* Row.run([
        { call: `DELETE /workers/${id}`, expect: 204 },
        { call: `GET /workers/${id}?include=credentials`, expect: "NOT_FOUND" },
        // A deleted worker keeps its credentials.
        {
          call: `GET /workers/${id}?include=credentials&includeDeleted=true`,
          expect: { "data.credentials": credentials }
        }
      ])
    })
  )

  it.effect("shows the oldest 100 credentials of a worker, alone and in a list, and says where the others are", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "holding" }
      const [many, few] = [yield* worker({ source }), yield* worker({ source })]
      yield* Effect.replicateEffect(credential({ worker: many }), 101, { concurrency: 16, discard: true })
      const one = yield* credential({ worker: few })
      const where = pathOf("credentials", { ownerType: "worker", ownerId: many })
      const oldest = dataOf(yield* get(`${where}&pageSize=100`))
      const answers = yield* Row.run([
        { call: `GET /workers/${many}?include=credentials`, expect: { "data.credentials": oldest } },
        {
          call: "GET /workers?sourceSystem=holding&include=credentials",
          expect: { "data.0.credentials": oldest, "data.1.credentials": yield* credentialsOf([one]) }
        }
      ])
      for (const answer of answers) {
        assert.lengthOf(Object(at(answer, "meta.warnings")), 1)
        assert.include(String(at(answer, "meta.warnings")), where)
      }
    })
  )

  it.effect("PRV-06, PRV-07: without credential READ it is 403, before any look-up and before the query is read", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const { token, urn } = yield* tokenOf(["worker:READ"])
      const paths = [
        "/workers?include=credentials&nonsense=1",
        `/workers/${idOfNothing(id)}?include=credentials`,
        "/workers/nonsense?include=credentials",
        `/workers/${id}?nonsense=1&include=credentials`
      ]
      const expect = `FORBIDDEN: ${urn} is unauthorized to READ credentials.`
      yield* Row.run(paths.map((path) => ({ call: `GET ${path}`, as: token, expect })))
    })
  )

  it.effect("ENV-16: a body with included credentials can be sent back: they are ignored with a warning", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      yield* credential({ worker: id })
      const body = yield* shown(`/workers/${id}?include=credentials`)
      const answers = yield* Row.run(
        ["PUT /workers", "PATCH /workers"].map((call) => ({
          call: `${call}/${id}`,
          body: { ...Object(body), credentials: [] },
          expect: { "data.credentials": undefined }
        }))
      )
      const [created] = yield* Row.run([{ call: "POST /workers", body, expect: 201 }])
      for (const answer of [...answers, created]) assert.include(String(at(answer, "meta.warnings")), "credentials")
      assert.deepStrictEqual(yield* shown(`/workers/${at(created, "data.id")}?include=credentials`), {
        ...Object(at(created, "data")),
        credentials: []
      })
      assert.deepStrictEqual(yield* shown(`/workers/${id}?include=credentials`), body)
    })
  )

  it.effect("a credential shows each owner as its own GET does, alone and in a list, but no deleted owner", () =>
    Effect.gen(function* () {
      const [one, app] = [yield* worker(), yield* applicant()]
      const [both, single] = [
        yield* credential({ worker: one, applicant: app }),
        yield* credential({ worker: one, applicant: yield* applicant() })
      ]
      const owners = { worker: yield* shown(`/workers/${one}`), applicant: yield* shown(`/applicants/${app}`) }
      assert.deepStrictEqual(yield* shown(`/credentials/${both}?include=owners`), {
        ...Object(yield* shown(`/credentials/${both}`)),
        owners
      })
      const listed = yield* list("credentials", { ownerType: "worker", ownerId: one, include: "owners" })
      assert.deepStrictEqual(dataOf(listed), [
        yield* shown(`/credentials/${both}?include=owners`),
        yield* shown(`/credentials/${single}?include=owners`)
      ])
      const left = { "data.owners": { ...owners, worker: null }, "data.attributes.owners.worker": one }
      yield* Row.run([
        { call: `DELETE /workers/${one}`, expect: 204 },
        { call: `GET /credentials/${both}?include=owners`, expect: left },
        { call: `DELETE /credentials/${both}`, expect: 204 },
        { call: `GET /credentials/${both}?include=owners`, expect: "NOT_FOUND" },
        { call: `GET /credentials/${both}?include=owners&includeDeleted=true`, expect: left }
      ])
    })
  )

  it.effect("any other value of include is 400; included owners can be sent back, and are ignored with a warning", () =>
    Effect.gen(function* () {
      const path = `/credentials/${yield* credential({ worker: yield* worker() })}`
      const queries = ["include=", "include=owner", "include=owners,owners", "include=owners&include=owners"]
      const body = yield* shown(`${path}?include=owners`)
      const [answer] = yield* Row.run([
        { call: `PUT ${path}`, body, expect: { "data.owners": undefined } },
        { call: `GET ${path}?include=owners`, expect: { data: body } },
        ...queries.flatMap((query) =>
          ["/credentials", path].map((one) => ({ call: `GET ${one}?${query}`, expect: "INVALID_ARGUMENT: include" }))
        )
      ])
      assert.include(String(at(answer, "meta.warnings")), "owners")
    })
  )
})
