import { Effect } from "effect"
import { revealed } from "../../calls/Grants.ts"
import { lookUp, readWorkers, refuseInvented } from "../../calls/Lookup.ts"
import { link, worker } from "../../calls/OwnershipCalls.ts"
import {
  bodyOf,
  create,
  groupOf,
  isAstray,
  madeId,
  pathOf,
  sharedCredential,
  unlessAstray
} from "../../calls/Resources.ts"
import { isBlind, lagOfWorkers } from "../../calls/Settling.ts"
import { shownIn } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { walk } from "../../judgement/Walk.ts"
import { bareForm, clientForm } from "../../profile/ClientForms.ts"
import { goodClient } from "../../profile/Principals.ts"
import { fillPath } from "../../profile/Template.ts"
import { isHandle } from "../../text/Handle.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn, shapeIn } from "../../wire/Exchange.ts"
import { judgeUnlessMistaken } from "../ownership/OwnershipBodies.ts"

const clients = ["admin", "secondClient"] as const
type ClientName = (typeof clients)[number]

/** The exchanges of a task, and the differences found. */
interface Done {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly differences: Expect.Met
}

/** One client creates a worker; the other finds and deletes it. */
const handOver = Effect.fnUntraced(function* (from: ClientName, to: ClientName) {
  const { send, unique } = yield* Session
  const name = yield* unique
  const made = yield* create("worker", name, yield* bodyOf("worker", name), { as: from })
  const id = madeId(made)
  if (id === undefined) return { exchanges: [made], differences: Expect.status(made, 201) } satisfies Done
  const found = yield* lookUp(name, { as: to })
  // a lookup that never shows anything new breaks WRK-05
  const isFound = shownIn(found, id) !== undefined || isBlind(yield* lagOfWorkers)
  const how = (yield* groupOf("worker"))?.delete
  const remove = (as: ClientName) =>
    how === undefined
      ? Effect.succeed([])
      : Effect.map(send({ ...how, path: fillPath(how.path, { id }), as }), Array.of)
  const gone = yield* remove(to)
  if (gone.some(isAstray)) yield* Effect.forEach(yield* remove(from), (own) => unlessAstray("worker", own))
  return {
    exchanges: [made, found, ...gone],
    differences: [
      ...(isFound ? [] : Expect.difference(found, "missing", "body.data", `the worker created by ${from}`, null)),
      ...gone.flatMap(Expect.accepted)
    ]
  } satisfies Done
})

/** The first client has created a credential; the other reads it and links it to its current owner, which changes nothing. */
const shareCredential = Effect.fnUntraced(function* () {
  const { send } = yield* Session
  if ((yield* groupOf("credential"))?.create === undefined) return []
  const { id, owner } = yield* sharedCredential
  const path = `${yield* pathOf("credential")}/${encodeURIComponent(id)}`
  const exchanges = [
    yield* send({ method: "GET", path, as: "secondClient" }),
    yield* link(id, worker(owner.id), { as: "secondClient" })
  ]
  return [{ exchanges, differences: exchanges.flatMap(Expect.accepted) } satisfies Done]
})

const twoClients = walk({
  name: "oauth/two-clients",
  judges: ["OAU-18"],
  impact: "mutate-own",
  needs: ["two OAuth clients"]
})(function* () {
  const [one, other] = clients
  yield* control(readWorkers())
  const done: ReadonlyArray<Done> = [
    yield* handOver(one, other),
    yield* handOver(other, one),
    ...(yield* shareCredential())
  ]
  yield* judgeUnlessMistaken(
    "OAU-18",
    done.flatMap(({ exchanges }) => exchanges),
    done.flatMap(({ differences }) => differences)
  )
})

const textsIn = (value: Json | undefined): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** The parameters that a redirect passes on, in the query and in the fragment. */
const parametersIn = (location: string | undefined): ReadonlyArray<string> => {
  const [query, fragment] = location === undefined || !URL.canParse(location) ? [] : partsOf(new URL(location))
  return [...new URLSearchParams(query).values(), ...new URLSearchParams(fragment).values()]
}

const partsOf = ({ hash, search }: URL): readonly [string, string] => [search, hash.replace(/^#/, "")]

/** Strings in an answer that may be bearer tokens: no words, URLs or request values. */
const candidatesIn = (exchange: Exchange): ReadonlyArray<string> => {
  const { answer, request } = exchange
  const sent = `${request.body} ${request.headers.map(([, value]) => value).join(" ")}`
  const body = answer?.json === undefined ? [answer?.text ?? ""] : textsIn(answer.json)
  const texts = isIn(exchange, 3) ? parametersIn(Expect.headerOf(exchange, "location")) : body
  return [...new Set(texts)].filter((text) => {
    const isToken = isHandle(text) ? shapeIn(exchange, text).length >= 16 : /^[\w.~+/=-]{16,4096}$/.test(text)
    return isToken && !sent.includes(text)
  })
}

/** The maximum number of candidates that are tried. */
const maxCandidates = 5

/** Calls a provider's path like the token endpoint, and also with a valid token. */
const askProvider = Effect.fnUntraced(function* (path: string) {
  const { profile, send } = yield* Session
  const client = goodClient(profile)
  const form = client === undefined ? bareForm : clientForm(yield* revealed(client))
  return [
    yield* send({ method: "POST", path, as: null, form, isUnknownPath: true }),
    yield* send({ method: "POST", path, json: {}, isUnknownPath: true })
  ]
})

const providers = walk({ name: "oauth/provider-paths", judges: ["OAU-22"], impact: "read", needs: ["provider paths"] })(
  function* () {
    const { profile } = yield* Session
    const good = yield* control(readWorkers())
    const invented = yield* refuseInvented()
    const asked = (yield* Effect.forEach(profile.providerPaths ?? [], askProvider)).flat()
    if (!asked.some(({ answer }) => answer !== null)) return yield* block("no provider path answered", ...asked)
    const candidates = asked.filter((exchange) => isIn(exchange, 2) || isIn(exchange, 3)).flatMap(candidatesIn)
    const tried = yield* Effect.forEach(candidates.slice(0, maxCandidates), (token) => readWorkers({ token }))
    yield* judge(
      "OAU-22",
      [good.exchange, invented, ...asked, ...tried],
      tried.flatMap((exchange) => Expect.status(exchange, 401))
    )
  }
)

/** OAU: what clients may do, and paths that must not authenticate. */
export const oauthClientWalks = [twoClients, providers]
