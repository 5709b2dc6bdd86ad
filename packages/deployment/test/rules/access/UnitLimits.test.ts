import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { belongings } from "@wcs/domain/people/Oversight"
import { Effect, SchemaAST } from "effect"
import { type Answer, type Call, Service, tokenOf, unit } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, isReading, pathOf, routes, subjectsFor } from "../EveryRoute.ts"
import { assertStatus, patch, root } from "../NewerSurface.ts"
import { missing, type Subjects, subjects } from "../Subjects.ts"

// One table, from the contract: each call of a user who is limited to a unit, about people outside of it, is answered as
// for ids that never existed. Each call about people inside succeeds, so that no answer is equal only because it fails.

/** The subjects that are about people. */
const aboutPeople = [
  ...["worker", "applicant", "credential", "shared", "verified", "reviewed", "open", "exemption", "ban"],
  ...["credentialCheck", "captureRequest", "task", "unit"]
] as const satisfies ReadonlyArray<string>

/** People of a unit, with values that nothing else has. */
interface People {
  readonly of: Subjects
  readonly mark: string
}

/** Makes subjects, and moves their people to a unit. */
const people = Effect.fnUntraced(function* (mark: string, of: string, making: typeof subjects = subjects) {
  const made = yield* making
  const subject: Subjects = { ...made, task: `tsk_${made.open.slice("cred_".length)}`, unit: of }
  const source = { externalId: `${mark}-id` }
  const named = { identity: { displayName: `${mark} Person`, birthDate: "1990-04-17" } }
  const moved = { unit: { id: of }, source }
  const applying = { displayName: `${mark} Applicant`, emailAddress: `${mark}@example.org` }
  const ofCard = { attributes: { identifier: `${mark}-card` } }
  const patches = [
    ["worker", "workers", { ...named, ...moved }],
    ["applicant", "applicants", { ...applying, ...moved }],
    ["credential", "credentials", ofCard],
    ["shared", "credentials", ofCard]
  ] as const
  for (const [name, path, body] of patches) {
    if (made[name] !== missing[name]) assertStatus(yield* patch(`/${path}/${made[name]}`, body), 200)
  }
  return { of: subject, mark } satisfies People
})

/** Waits for the task about a card of these people, which is made some time after the card. */
const withTask = Effect.fnUntraced(function* (people: People) {
  const { call } = yield* Service
  yield* Effect.repeat(call({ method: "GET", path: `${root}/tasks?workerId=${people.of.worker}` }), {
    until: (answer) => answer.text.includes(people.of.task)
  })
  return people
})

/** Two units side by side, one below the first, and the token of an administrator who is limited to the first. */
const world = Effect.gen(function* () {
  const inner = yield* unit({ name: "Inner" })
  const below = yield* unit({ name: "Below", parent: { id: inner } })
  const outer = yield* unit({ name: "Outer" })
  const { token } = yield* tokenOf({ role: "Admin", units: [inner] })
  return { inner, below, outer, token }
})

/** An answer without what differs in each call, and with a name in place of each id. */
const comparable = ({ status, text }: Answer, of: Subjects, mark: string): string => {
  const named = aboutPeople.reduce((rest, key) => rest.replaceAll(of[key], `<${key}>`), text)
  // The position of a page of changes is sealed anew each time.
  const own = /"(requestId|correlationId|position)":"[^"]*"/g
  return `${status} ${named.replaceAll(mark, "<mark>").replaceAll(own, "")}`
}

/** What an answer tells of people, besides what the call named. */
const told = ({ mark, of }: People, { body, path }: Call, text: string): ReadonlyArray<string> => {
  const sent = decodeURIComponent(path) + JSON.stringify(body ?? "")
  return [...aboutPeople.map((key) => of[key]), mark].filter((value) => text.includes(value) && !sent.includes(value))
}

/** The subjects with ids of people who never existed. */
const nobody = (of: Subjects): Subjects => ({
  ...of,
  ...Object.fromEntries(aboutPeople.map((key) => [key, missing[key]]))
})

/** The calls that need people of a unit in their body. */
const withUnit = (route: Endpoint, call: Call, id: string): Call =>
  /^(workers|applicants)\.(create|replace)$/.test(route.name)
    ? { ...call, body: { ...Object(call.body), unit: { id } } }
    : call

const isOfPeople = ({ guard, name }: Endpoint): boolean =>
  name.startsWith("credentials.") ||
  (guard?.privileges ?? []).some(({ entityType }) => belongings[entityType]._tag !== "Nobody")

/** The query parameters of a list with values of people; others narrow, sort or page the list. */
const telling: Readonly<Record<string, (people: People, route: Endpoint) => string>> = {
  query: ({ mark }) => mark,
  externalId: ({ mark }) => `${mark}-id`,
  ownerExternalId: ({ mark }) => `${mark}-id`,
  emailAddress: ({ mark }) => `${mark}@example.org`,
  identifier: ({ mark }) => `${mark}-card`,
  ownerId: ({ of }) => `${of.worker}&ownerType=worker`,
  workerId: ({ of }) => of.worker,
  applicantId: ({ of }) => of.applicant,
  credentialId: ({ of }) => of.credential,
  entityId: ({ of }) => of.worker,
  subjectId: ({ of }) => of.credential,
  about: ({ of }) => of.worker,
  unit: ({ of }) => of.unit,
  parentId: ({ of }) => of.unit,
  include: (_, { name }) => (name.startsWith("workers.") ? "credentials" : "owners"),
  includeDeleted: () => "true",
  includeTotal: () => "true",
  asOf: () => new Date().toISOString()
}

const silent = [
  ...["pageSize", "cursor", "page", "sort", "updatedAfter", "updatedBefore", "ownerType", "sourceSystem", "status"],
  ...["credentialType", "jurisdiction", "eligibility", "statusDetail", "expiringFrom", "expiringBefore", "severity"],
  ...["compliance", "result", "checkId", "reason", "assigneeId", "workerStatus", "correlationId", "moveTo", "after"],
  ...["exemptionType", "active", "enabled", "register", "state", "entityType", "account", "action", "bearer", "from"],
  ...["requestId", "to", "screeningPackageCode", "cascade", "kind", "name", "outcome", "fromId", "recipientId"],
  ...["aboutId", "failing", "event", "eventId", "unreachable"]
]

const parametersOf = ({ query }: Endpoint): ReadonlyArray<string> =>
  query !== undefined && SchemaAST.isObjects(query.ast)
    ? query.ast.propertySignatures.map(({ name }) => String(name))
    : []

layer(layerService(), { excludeTestServices: true })("a user who is limited to a unit", (it) => {
  it.effect(
    "threat 68: gets for each call about people outside the answer for people who never existed",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { outer, token } = yield* world
        const outside = yield* withTask(yield* people("Olgaout", outer))
        for (const route of routes) {
          const [about, other] = [goodCall(route, outside.of), goodCall(route, nobody(outside.of))]
          const answer = yield* call({ ...about, token })
          assert.deepStrictEqual(told(outside, about, answer.text), [], route.name)
          if (JSON.stringify(about) === JSON.stringify(other)) continue
          const same = comparable(yield* call({ ...other, token }), nobody(outside.of), outside.mark)
          assert.strictEqual(comparable(answer, outside.of, outside.mark), same, route.name)
        }
      }),
    120_000
  )

  it.effect(
    "finds nobody outside by any parameter of a list, in any form of it",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { outer, token } = yield* world
        const outside = yield* withTask(yield* people("Olgalist", outer))
        const known = [...Object.keys(telling), ...silent]
        assert.deepStrictEqual(
          [...new Set(routes.flatMap(parametersOf))].filter((name) => !known.includes(name)),
          []
        )
        const none: People = { of: nobody(outside.of), mark: "Nonesuch" }
        for (const route of routes.filter(({ method }) => method === "GET")) {
          for (const parameter of parametersOf(route)) {
            const value = telling[parameter]
            if (value === undefined) continue
            const asked = (of: People) => ({
              ...goodCall(route, of.of),
              path: `${pathOf(route, of.of)}?${parameter}=${value(of, route)}`,
              token,
              ...(route.table === undefined ? {} : { headers: { accept: "text/csv" } })
            })
            const answer = yield* call(asked(outside))
            const page = yield* call({ ...asked(outside), headers: {} })
            const same = yield* call({ ...asked(none), headers: {} })
            for (const { text } of [answer, page]) {
              assert.deepStrictEqual(told(outside, asked(outside), text), [], `${route.name} ${parameter}`)
            }
            assert.strictEqual(
              comparable(page, outside.of, outside.mark),
              comparable(same, none.of, none.mark),
              `${route.name} ${parameter}`
            )
          }
        }
      }),
    120_000
  )

  it.effect(
    "reaches people of the unit and of units below by each of these calls",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { below, token } = yield* world
        const read = yield* withTask(yield* people("Inaread", below))
        for (const route of routes.filter((each) => isOfPeople(each) && !each.name.startsWith("units."))) {
          const inside = isReading(route) ? read : yield* people("Inaside", below, subjectsFor(route))
          if (route.name.startsWith("tasks.")) yield* withTask(inside)
          const answer = yield* call({ ...withUnit(route, goodCall(route, inside.of), below), token })
          if (answer.status === 403) continue
          assertStatus(answer, goodStatus(route))
        }
      }),
    300_000
  )
})
