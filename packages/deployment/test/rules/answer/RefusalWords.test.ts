import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, grant, Service, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { basic, login, person, send } from "../legacy/LegacySurface.ts"
import { assertRefused, get, patch, post } from "../NewerSurface.ts"
import * as ContractFields from "./ContractFields.ts"

/** Internal terms that no caller should read. */
const leaks = /missing key|expected|schema|undefined|\bgot\b|invalid data|<filter>|\bfilter\b|\["/i

const sentinel = "S3cr3t-V4lue"

const messageOf = (answer: Answer): string => textAt(answer, "error.message")

/** Fails unless the response is a 400 that names the field in plain words and repeats no value. */
const assertWorded = (answer: Answer, field: string): void => {
  assertRefused(answer, "INVALID_ARGUMENT")
  const message = messageOf(answer)
  assert.notMatch(message, leaks)
  assert.notInclude(message, sentinel)
  assert.match(message, /^(The body|[\w.]+) (is|must|cannot|has) .*\.$/s)
  assert.isTrue(
    message.split(/\.(?: |$)/).some((sentence) => sentence.startsWith(`${field} `)),
    `${field}: ${message}`
  )
}

/** Values that are invalid for every field of this kind. */
const wrongFor = (field: ContractFields.Field): ReadonlyArray<unknown> => {
  const wrong: Readonly<Record<ContractFields.Field["kind"], ReadonlyArray<unknown>>> = {
    string: [42, "\0", ...(field.isDate || field.isChosen ? [sentinel] : [])],
    object: [sentinel],
    boolean: [sentinel],
    integer: [sentinel, 1.5, 0],
    array: [sentinel, [42], [null], [{ [sentinel]: [] }]]
  }
  const overlong = field.maxLength === undefined ? [] : ["x".repeat(field.maxLength + 1)]
  return [...wrong[field.kind], ...overlong, ...(field.isNullable ? [] : [null])]
}

/** The names of a field in messages: an owner is named by its slot, or by the object with both slots. */
const isNamedIn = (message: string, path: ReadonlyArray<string>): boolean =>
  [path.join("."), path.slice(0, -1).join(".")].some((name) => name !== "" && message.includes(name))

const computed = ["eligibility", "statusDetail", "lastVerifiedAt", "lastCorrelationId", "lastKnown"]

/** The filters that accept any text. */
const freeText = [
  ...["externalId", "ownerExternalId", "sourceSystem", "query", "emailAddress", "identifier", "register"],
  ...["correlationId", "credentialId", "exemptionType", "screeningPackageCode"],
  ...["entityId", "account", "action", "requestId"]
]

layer(layerService(), { excludeTestServices: true })("messages of refusals", (it) => {
  for (const route of EveryRoute.routes.filter(EveryRoute.takesBody)) {
    it.effect(`ENV-05, ENV-06: ${route.name} names the wrong field of its body, and the expected form`, () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        // Only a PATCH looks up its entity before it checks the body.
        const of = route.method === "PATCH" ? yield* EveryRoute.subjects : EveryRoute.missing
        const good = EveryRoute.goodCall(route, of)
        for (const field of yield* ContractFields.fieldsOfBody(route.method, route.path)) {
          // The server computes these fields, and ignores the caller's values.
          if (field.path.some((name) => computed.includes(name)) && route.name !== "credentials.review") continue
          const missing = ContractFields.withoutValue(good.body, field.path)
          const wrong = wrongFor(field).map((value) => ContractFields.withValue(good.body, field.path, value))
          let refused = 0
          for (const body of [missing, ...wrong]) {
            const answer = yield* call({ ...good, body })
            // A field may be optional, and the entities may be missing.
            if (answer.status < 300 || [404, 409, 422].includes(answer.status)) continue
            refused++
            assertRefused(answer, "INVALID_ARGUMENT")
            const message = messageOf(answer)
            const told = `${field.path.join(".")} ${JSON.stringify(body).slice(0, 300)}: ${message}`
            assert.notMatch(message, leaks, told)
            assert.notInclude(message, sentinel, told)
            assert.isTrue(isNamedIn(message, field.path), told)
            assert.match(message, /\.$/, told)
          }
          assert.isAbove(refused, 0, field.path.join("."))
        }
      })
    )
  }

  it.effect("ENV-07: every list refuses and names every repeated, unknown or malformed parameter", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* EveryRoute.subjects
      const free = new Set<string>()
      for (const route of EveryRoute.routes.filter(({ method }) => method === "GET")) {
        const path = EveryRoute.pathOf(route, of)
        const ask = (query: string) => call({ method: "GET", path: `${path}?${query}` })
        const names = yield* ContractFields.parametersOfCall(route.path)
        for (const name of names) {
          assertWorded(yield* ask(`${name}=${sentinel}&${name}=b`), name)
          const malformed = yield* ask(`${name}=${sentinel}`)
          if (malformed.status < 300) {
            free.add(name)
            continue
          }
          // A filter by owner has two parameters; the other one is missing here.
          const field = { ownerId: "ownerType", ownerType: "ownerId" }[name] ?? name
          assertWorded(malformed, field)
        }
        if (names.length > 0) assertWorded(yield* ask(`nonsense=${sentinel}`), "nonsense")
      }
      assert.sameMembers([...free], freeText)
    })
  )

  it.effect("ENV-05: names a malformed id of a path, and its form", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const route of EveryRoute.routes.filter(({ path }) => path.includes(":id"))) {
        const body = route.method === "GET" || route.method === "DELETE" ? {} : { body: {} }
        const answer = yield* call({ method: route.method, path: route.path.replace(":id", sentinel), ...body })
        assertRefused(answer, EveryRoute.malformedCode(route))
        const message = messageOf(answer)
        assert.notMatch(message, leaks)
        assert.notInclude(message, sentinel)
        // The body is checked first, so it must be valid too.
        if (!EveryRoute.takesBody(route)) assert.match(message, /^id must be /, route.name)
      }
    })
  )

  it.effect("ENV-05: names all wrong fields of a body, at most 20, and says that there are more", () =>
    Effect.gen(function* () {
      const body = {
        identity: { firstName: 7, birthDate: "2026-02-30", otherNames: ["Ann", "", 7] },
        contact: "none",
        employment: { status: "GONE" },
        source: { externalId: "x".repeat(201) }
      }
      assert.strictEqual(
        messageOf(yield* post("/workers", body)),
        [
          "identity.displayName is required: a string of 1 to 200 characters.",
          "identity.firstName must be a string of 1 to 100 characters.",
          "identity.otherNames.1 must not be empty.",
          "identity.otherNames.2 must be a string of 1 to 200 characters.",
          "identity.birthDate must be a date that exists, YYYY-MM-DD.",
          "contact must be an object.",
          "employment.status must be one of ACTIVE, INACTIVE, ON_LEAVE, TERMINATED.",
          "source.externalId must have at most 200 characters."
        ].join(" ")
      )
      const many = { identity: { displayName: "Ann", otherNames: Array.from({ length: 4000 }, () => 7) } }
      const message = messageOf(yield* post("/workers", many))
      assert.lengthOf(message.match(/otherNames\.\d+ must be/g) ?? [], 20)
      assert.match(message, / More fields are invalid\.$/)
      const id = yield* worker()
      assert.strictEqual(
        messageOf(yield* patch(`/workers/${id}`, { identity: { displayName: null }, contact: [] })),
        "identity.displayName is required: a string of 1 to 200 characters. contact must be an object."
      )
    })
  )

  it.effect("OWN-01, BLK-01: shows every form of body of an ownership call", () =>
    Effect.gen(function* () {
      const id = yield* credential({ worker: yield* worker() })
      const owner = '{ "type": "worker" or "applicant", "id": "…" }'
      const [to, from] = [`"to": ${owner}`, `"from": ${owner}`]
      for (const [path, ...shapes] of [
        [`/credentials/${id}/link`, owner, `{ ${to} }`],
        [`/credentials/${id}/unlink`, owner, `{ ${from} }`],
        [`/credentials/${id}/transfer`, `{ ${from}, ${to} }`],
        ["/credentials/link", `{ ${to}, "credentialIds": [ … ] }`, `{ ${to}, ${from} }`],
        ["/credentials/transfer", `{ ${from}, ${to} }`]
      ] as const) {
        for (const body of [{}, [], "text", { owner: id }, { to: 7 }, { from: { type: "worker" } }, { type: "bird" }]) {
          const answer = yield* post(path, body)
          assertRefused(answer, "INVALID_ARGUMENT")
          for (const shape of shapes) assert.include(messageOf(answer), shape, path)
          assert.notMatch(messageOf(answer), leaks)
        }
      }
      const answer = yield* post(`/credentials/${id}/link`, { to: { type: "worker" } })
      assert.strictEqual(
        messageOf(answer),
        `to.id is required: the owner's id, wkr_ or app_ and 16 letters or digits. The body must be ${owner} or { ${to} }.`
      )
    })
  )

  it.effect("names the alternative or the condition of a required field", () =>
    Effect.gen(function* () {
      const linked = yield* post("/fetch-requests", { requestedCredentialTypes: ["WWCC_NSW"] })
      assert.strictEqual(
        messageOf(linked),
        "worker.id is required: wkr_ and 16 letters or digits, unless externalId is given."
      )
      const bulk = yield* post("/fetch-requests/bulk", { requestedCredentialTypes: ["WWCC_NSW"] })
      assert.strictEqual(
        messageOf(bulk),
        'workers is required: an array, each item { "id": "…" } or { "externalId": "…" }.'
      )
      assert.strictEqual(
        messageOf(yield* get(`/credentials?ownerId=${yield* worker()}`)),
        "ownerType must be worker or applicant when ownerId is given."
      )
    })
  )

  it.effect("names the parameters of the token endpoint, and the Content-Type", () =>
    Effect.gen(function* () {
      const description = (form: string, contentType: string) =>
        Effect.map(grant(form, { headers: { "content-type": contentType } }), (answer) =>
          textAt(answer, "error_description")
        )
      const form = "application/x-www-form-urlencoded"
      assert.strictEqual(
        yield* description('{"grant_type":"client_credentials"}', "application/json"),
        `grant_type must be client_credentials, in a body of Content-Type ${form}.`
      )
      assert.strictEqual(
        yield* description("grant_type=client_credentials", form),
        "client_id or client_secret is missing or wrong, or the client was revoked or has expired."
      )
    })
  )

  it.effect("names the schemes of a legacy call, and the method where only the method is wrong", () =>
    Effect.gen(function* () {
      const someone = yield* person()
      const message = (answer: Answer) => textAt(answer, "message")
      for (const [method, path, schemes] of [
        ["GET", "/users/me", "Basic or Bearer"],
        ["POST", "/users/1/token", "Basic"],
        ["GET", "/organizations/me", "Bearer"]
      ] as const) {
        const expected = `Authentication is missing or not valid. This call accepts ${schemes} authentication.`
        assert.strictEqual(message(yield* send(method, path, undefined)), expected)
      }
      const wrongScheme = yield* send("GET", "/constituents", basic(someone))
      assert.match(message(wrongScheme), /accepts Bearer authentication\.$/)
      assert.strictEqual(
        message(yield* send("DELETE", "/constituents", undefined)),
        "There is nothing at this path for this method."
      )
    })
  )

  it.effect("LEG-12: names every wrong field of a scan, and the first in `field`", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      const answer = yield* send("POST", "/scan", bearer, { body: { type: sentinel, identifier: 7, surname: null } })
      assert.deepStrictEqual([answer.status, at(answer, "field")], [400, "type"])
      assert.strictEqual(
        textAt(answer, "message"),
        [
          "type must be a code of the catalogue, such as WWCC_NSW or wwcc-nsw.",
          "identifier must be a string of 1 to 100 characters.",
          "first_name is required: a string of 1 to 100 characters.",
          "surname must be a string of 1 to 100 characters."
        ].join(" ")
      )
      const listed = yield* send("GET", `/constituents?page=${sentinel}`, bearer)
      assert.strictEqual(textAt(listed, "message"), "page must be an integer of at least 1.")
    })
  )

  it.effect("ENV-05: describes the required body if it is not an object", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      for (const body of [[], 7, sentinel, null]) {
        assert.strictEqual(messageOf(yield* post("/workers", body)), "The body must be an object.")
        assert.strictEqual(messageOf(yield* patch(`/workers/${id}`, body)), "The body must be an object.")
      }
      assert.strictEqual(
        messageOf(yield* get("/workers?sort=nonsense")),
        "sort must be field:asc or field:desc. Possible fields: createdAt, updatedAt, id, displayName, lastName, externalId."
      )
    })
  )
})
