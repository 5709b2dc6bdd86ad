import { Effect } from "effect"
import { whereOf } from "../../calls/CleanUp.ts"
import { idOf, slotsOf } from "../../calls/Reading.ts"
import { stateOf } from "../../calls/ResourceState.ts"
import {
  anyOwner,
  bodyOf,
  create,
  groupOf,
  makeCredential,
  makeWorker,
  noteMade,
  pathOf,
  read,
  sharedCredential
} from "../../calls/Resources.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import { errorEnvelope } from "../../exchanges/Envelope.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, inWords, judge, judgePair, notApplicable } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Change } from "../../profile/Profile.ts"
import { fill, fillPath, type Values } from "../../profile/Template.ts"
import type { Json } from "../../text/Json.ts"
import { wellFormed } from "../../wire/CallersId.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { timeless } from "../../wire/JsonChange.ts"
import { lookForStrays } from "../resource/Strays.ts"
import { likelyUnknownIds } from "../resource/UnknownIds.ts"

/** A 400 in the envelope. */
const badRequest = (exchange: Exchange): Expect.Met => {
  const wrong = Expect.error(exchange, 400, ...codesOf(400))
  return wrong.length > 0 ? wrong : errorEnvelope(exchange)
}

/** A worker's body as broken JSON: truncated, and with an unquoted key. */
const broken = [(json: string) => json.slice(0, -1), (json: string) => json.replace(/^\{"(\w+)"/, "{$1")]

const brokenJson = walk({
  name: "envelopes/broken-json",
  judges: ["ENV-04"],
  impact: "create",
  needs: []
})(function* () {
  const { intend, send, unique } = yield* Session
  const name = yield* unique
  const json = yield* bodyOf("worker", name)
  const made = yield* control(create("worker", name, json))
  const probes = yield* Effect.forEach(
    broken,
    Effect.fnUntraced(function* (breaking) {
      const body = breaking(JSON.stringify(json))
      yield* intend("worker", name)
      const raw = { body, type: "application/json" }
      const exchange = yield* send({ method: "POST", path: yield* pathOf("worker"), raw })
      yield* noteMade("worker", name, exchange)
      return exchange
    })
  )
  yield* judgePair("ENV-04", { control: made, probe: probes }, probes.flatMap(badRequest))
})

/**
 * Creates a resource with a known read by id: a credential if possible, because `GET workers/{id}` is not documented.
 */
const makeReadable = Effect.gen(function* () {
  if ((yield* groupOf("credential"))?.create === undefined) {
    return { type: "worker" as const, id: (yield* makeWorker()).id }
  }
  return { type: "credential" as const, id: (yield* sharedCredential).id }
})

/** Reads an altered id that does not exist. With sequential ids, an altered one may belong to another resource. */
const readUnknown = Effect.fnUntraced(function* (type: string, id: string) {
  const [first = id, ...others] = likelyUnknownIds(id)
  let asked = first
  let probe = yield* read(type, asked)
  for (const other of others) {
    if (!isIn(probe, 2) || idOf(Expect.valueAt(probe, "data")) !== asked) break
    asked = other
    probe = yield* read(type, asked)
  }
  return probe
})

const ids = walk({
  name: "envelopes/ids",
  judges: ["ENV-08", "ENV-09", "ENV-17"],
  impact: "create",
  needs: []
})(function* () {
  const { id, type } = yield* makeReadable
  const known = yield* control(read(type, id))
  const unknown = yield* readUnknown(type, id)
  const isWarning = statusOf(unknown) === 400 // where ids contain a checksum
  const differences = Expect.error(unknown, 404, "NOT_FOUND")
  yield* judgePair("ENV-09", { control: known, probe: unknown }, differences, isWarning ? "warn" : "fail")
  const prefix = /^[a-z]+_/i.exec(id)?.[0] ?? ""
  const bad = yield* Effect.forEach(["no-such-form", `${prefix}!*(~)`], (one) => read(type, one))
  yield* judgePair("ENV-08", { control: known, probe: bad }, bad.flatMap(badRequest))
  const again = yield* read(type, id)
  const shownId = (exchange: Exchange) => idOf(Expect.valueAt(exchange, "data"))
  const owners = (exchange: Exchange): Json => ({ ...slotsOf(Expect.valueAt(exchange, "data")) }) as Json
  yield* judge(
    "ENV-17",
    [known.exchange, again],
    [
      ...Expect.accepted(again),
      ...Expect.same(again, "body.data.id", shownId(known.exchange), shownId(again)),
      ...Expect.same(again, "body.data.attributes.owners", owners(known.exchange), owners(again))
    ]
  )
})

const sorting = walk({
  name: "envelopes/unknown-sort",
  judges: ["ENV-07"],
  impact: "read",
  needs: ["sort parameter"]
})(function* () {
  const { profile, send } = yield* Session
  const { sort } = profile
  if (sort === undefined) return yield* block("the profile has no sort parameter")
  const sorted = (by: string, { size = "", ...more }: Pick<Call, "as" | "to"> & { readonly size?: string } = {}) => {
    const separator = sort.path.includes("?") ? "&" : "?"
    const query = `${sort.parameter}=${encodeURIComponent(by)}${size}`
    return send({ method: "GET", path: `${sort.path}${separator}${query}`, ...more })
  }
  const known = yield* control(sorted(sort.known))
  const { principals, secondTenant } = profile
  const callers: ReadonlyArray<Parameters<typeof sorted>[1]> = [
    {},
    // beside another parameter
    { size: "&pageSize=1" },
    ...(principals.personalToken === undefined ? [] : [{ as: "personalToken" as const }]),
    ...(secondTenant === undefined ? [] : [whereOf({ to: "second tenant" })])
  ]
  const unknown = yield* Effect.forEach(callers, (more) => sorted(sort.unknown, more))
  yield* judgePair("ENV-07", { control: known, probe: unknown }, unknown.flatMap(badRequest))
})

/** Creates the resources that the profile's templates name. */
const valuesFor = Effect.fnUntraced(function* (...templates: ReadonlyArray<Json>) {
  const unique = yield* (yield* Session).unique
  const names = (name: string) => JSON.stringify(templates).includes(`{{${name}}}`)
  const worker = names("worker") || names("credential") ? (yield* makeWorker()).id : undefined
  const applicant = names("applicant") ? (yield* anyOwner("applicant")).id : undefined
  const credential = names("credential") && worker !== undefined ? (yield* makeCredential({ worker })).id : undefined
  const values: Values = { unique, name: `Conformance ${unique}`, email: `${unique}@example.org` }
  return { ...values, worker, applicant, credential } satisfies Values
})

const businessRule = walk({
  name: "envelopes/business-rule",
  judges: ["ENV-10"],
  impact: "mutate-own",
  needs: ["a request that breaks a business rule"]
})(function* () {
  const { intend, profile, send, unique } = yield* Session
  const rule = profile.businessRule
  if (rule === undefined) return yield* block("the profile has no request that breaks a business rule")
  const values = yield* valuesFor(rule.body, rule.allowedBody, rule.path)
  const types = new Set(["worker", "credential", "applicant", ...Object.keys(profile.groups ?? {})])
  const paths = yield* Effect.forEach(types, (type) => Effect.map(pathOf(type), (path) => ({ type, path })))
  const made = rule.method === "POST" ? paths.find(({ path }) => path === rule.path)?.type : undefined
  const path = fillPath(rule.path, { worker: values.worker ?? "", credential: values.credential ?? "" })
  const attempt = Effect.fnUntraced(function* (body: Json, as: PrincipalName = "admin") {
    const name = yield* unique
    if (made !== undefined) yield* intend(made, name)
    const json = fill(body, { ...values, unique: name, email: `${name}@example.org` })
    const headers = { "X-Request-Id": wellFormed(name) }
    const exchange = yield* send({ method: rule.method, path, json, as, headers })
    if (made !== undefined) yield* noteMade(made, name, exchange)
    return { name, exchange }
  })
  const { exchange: first } = yield* attempt(rule.allowedBody)
  // the call may have the path of a group, whose create is not the mistake
  if (isIn(first, 4)) {
    return yield* block(`prerequisite failed: ${inWords(first)}; look at businessRule in the profile`, first)
  }
  const allowed = yield* control(Effect.succeed(first))
  const kinds =
    profile.principals.personalToken === undefined ? ["admin" as const] : (["admin", "personalToken"] as const)
  const sent = yield* Effect.forEach(kinds, (as) => attempt(rule.body, as))
  const refused = sent.map(({ exchange }) => exchange)
  const differences = refused.flatMap((one) => Expect.error(one, 422, "UNPROCESSABLE"))
  const [last] = sent.filter(({ exchange }) => isIn(exchange, 4)).toReversed()
  const { list, strays } = yield* lookForRefused(made, last?.name)
  yield* judgePair("ENV-10", { control: allowed, probe: refused, after: list }, [...differences, ...strays])
})

/** Looks for the resource of a refused create, if a list would show it by its name. */
const lookForRefused = Effect.fnUntraced(function* (entity: string | undefined, unique: string | undefined) {
  const { profile } = yield* Session
  const create = { entity: entity ?? "", operation: "CREATE", call: { method: "POST", path: "" }, unique } as const
  const path = unique === undefined || entity === "credential" ? undefined : findPathOf(profile, create.entity, unique)
  if (path === undefined || unique === undefined) return { list: [], strays: [] }
  return yield* lookForStrays({ ...create, unique }, { entity: create.entity, parts: {} }, path)
})

/** A resource with a PUT in its group. Workers come first, because a verification can change a credential. */
const makePuttable = Effect.gen(function* () {
  const put = (changes: ReadonlyArray<Change> | undefined) => changes?.find(({ method }) => method === "PUT")
  const ofWorkers = put((yield* groupOf("worker"))?.update)
  const ofCredentials = put((yield* groupOf("credential"))?.update)
  if (ofWorkers === undefined && ofCredentials === undefined) return undefined
  const owner = yield* makeWorker()
  if (ofWorkers !== undefined) return { change: ofWorkers, type: "worker" as const, owner, resource: owner }
  if (ofCredentials === undefined) return undefined
  const resource = yield* makeCredential({ worker: owner.id })
  return { change: ofCredentials, type: "credential" as const, owner, resource }
})

const puttingTwice = walk({
  name: "envelopes/put-twice",
  judges: ["ENV-16"],
  impact: "mutate-own",
  needs: ["write paths"]
})(function* () {
  const { send } = yield* Session
  const puttable = yield* makePuttable
  if (puttable === undefined) return yield* notApplicable("ENV-16", "the profile's write paths have no PUT")
  const { change, owner, resource, type } = puttable
  const { id, unique } = resource
  const values = { id, unique, name: `Put ${unique}`, email: `${unique}@example.org`, worker: owner.id }
  const put = send({ method: "PUT", path: fillPath(change.path, { id }), json: fill(change.body, values) })
  const first = yield* control(put)
  const once = yield* stateOf(type, resource)
  if (once.data === undefined)
    return yield* block("prerequisite failed: the resource is not found after a PUT", once.exchange)
  const second = yield* put
  const twice = yield* stateOf(type, resource)
  yield* judge(
    "ENV-16",
    [first.exchange, once.exchange, second, twice.exchange],
    [
      ...Expect.status(second, statusOf(first.exchange)),
      ...Expect.same(twice.exchange, "body.data", timeless(once.data), timeless(twice.data ?? null))
    ]
  )
})

/** ENV: envelopes, statuses and codes of single calls. */
export const envelopeWalks: ReadonlyArray<Walk> = [brokenJson, ids, sorting, businessRule, puttingTwice]
