import { Effect, Option } from "effect"
import { says } from "../../calls/Deliveries.ts"
import { type Subscription, subscribe, verifyAndWait } from "../../calls/EventCalls.ts"
import { everyCall, makeStage, type Stage } from "../../calls/EveryCall.ts"
import type { Guarded } from "../../calls/GuardedCalls.ts"
import { applicant, templateOf, worker } from "../../calls/OwnershipCalls.ts"
import { idOf, slotsOf } from "../../calls/Reading.ts"
import { isUntouched, type State, shownState, stateOf } from "../../calls/ResourceState.ts"
import { pathOf, type Resource, read, sharedOwner } from "../../calls/Resources.ts"
import { makeVerifiable, verify } from "../../calls/VerifyCalls.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import * as Expect from "../../judgement/Expect.ts"
import { type Control, control } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { endpointsOf } from "../../places/Endpoints.ts"
import { groupPathOf } from "../../profile/Groups.ts"
import { needs } from "../../profile/Need.ts"
import type { Profile } from "../../profile/Profile.ts"
import { fill } from "../../profile/Template.ts"
import { at, type Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { shownSecrets, Traces, tracesOf } from "../../wire/WebhookSecrets.ts"
import { beganWith } from "../event/Verification.ts"
import { rotate } from "../event/Webhooks.ts"
import { makeOwned, takesBoth } from "../ownership/OwnedCredentials.ts"
import { type Known, listPathOf, lookForStrays, lookIfGone } from "../resource/Strays.ts"
import { type Point, withId } from "./Row.ts"

// Aims every call of an entity type at a target, and says how a read shows that a call was carried out.

/** The result of reads after some calls. */
export interface Seen {
  readonly reads: ReadonlyArray<Exchange>
  /** Empty if the calls have changed nothing. */
  readonly changes: Expect.Met
  /** The resource that was read. */
  readonly data?: Json | undefined
}

/** Reads that show the effect of calls. Several calls can have the same. */
export interface Watch {
  readonly look: (calls: ReadonlyArray<Aimed>) => Effect.Effect<Seen, Blocked, Session>
}

/** A call that would change something that its watch shows. */
export interface Aimed {
  readonly point: Point
  readonly guarded: Guarded
  /** The id in its path. */
  readonly id: string
  readonly watch?: Watch
  /** The same call by the admin, made before. */
  readonly good?: Control
}

/** The parts of a resource that can move, each at its own place: its id, and the owners of a credential. */
const moved = (entity: string, before: State, now: State): Expect.Met => {
  const slots = entity === "credential" ? (["worker", "applicant"] as const) : []
  return [
    ...Expect.same(now.exchange, "body.data.id", idOf(before.data), idOf(now.data)),
    ...slots.flatMap((slot) => {
      const [was, is] = [slotsOf(before.data)[slot] ?? null, slotsOf(now.data)[slot] ?? null]
      return Expect.same(now.exchange, `body.data.attributes.owners.${slot}`, was, is)
    })
  ]
}

/** Reads a resource again. Nothing shows changes if no read showed it before. */
const watchState = (entity: string, resource: Resource, before: State): Watch | undefined =>
  before.data === undefined
    ? undefined
    : {
        look: Effect.fnUntraced(function* (calls) {
          const now = yield* stateOf(entity, resource)
          const names = calls.flatMap(({ guarded: { operation, unique } }) => (operation === "UPDATE" && unique) || [])
          return {
            reads: [now.exchange],
            changes: [...isUntouched(before, now, names), ...moved(entity, before, now)],
            data: now.data
          }
        })
      }

/** Looks whether a refused delete was carried out: a read by id may show a deleted resource as before. */
const watchGone = (stage: Stage, known: Known): Watch => ({
  look: () =>
    Effect.map(lookIfGone(stage, makeStage(stage.entity), {}, known), ({ gone, reads }) => ({ reads, changes: gone }))
})

/** Looks for resources that a refused create made. Undefined if no list shows them. */
const watchStrays = (stage: Stage, create: Guarded, profile: Profile, known: Known): Watch | undefined => {
  const path = listPathOf(profile, create, stage.parts)
  return path === undefined
    ? undefined
    : {
        look: () =>
          Effect.map(
            lookForStrays(create, { ...stage, own: stage.resource.id }, path, {}, known),
            ({ list, strays }) => ({
              reads: [list],
              changes: [...Expect.status(list, 200), ...strays]
            })
          )
      }
}

/** A call of an action that would have an effect. */
interface Effective extends Pick<Aimed, "watch" | "good"> {
  readonly id: string
  readonly json?: unknown
}

/** An unlink of one of two owners. */
const forUnlink = Effect.fnUntraced(function* ({ absent }: Stage) {
  const { profile } = yield* Session
  if (absent === undefined || !(yield* takesBoth)) return undefined
  const holder = yield* sharedOwner("worker") // the list of the stage's worker must show no other credential
  const resource = yield* makeOwned({ worker: holder.id, applicant: absent.id })
  const watch = watchState("credential", resource, yield* shownState("credential", resource))
  const json = fill(templateOf(profile, "unlink"), { ...applicant(absent.id) })
  return { id: resource.id, json, ...(watch && { watch }) } satisfies Effective
})

/** A webhook of the walk, if it can receive deliveries. */
const subscribed = Effect.gen(function* () {
  const { profile } = yield* Session
  return needs["webhook body"].isMet(profile) ? Option.getOrUndefined(yield* Effect.option(subscribe())) : undefined
})

/** The deliveries about a refused verification. The delivery of a later one shows that no earlier one is under way. */
const deliveredOf = Effect.fnUntraced(function* (subscription: Subscription, id: string, correlationId: string) {
  yield* Effect.option(verifyAndWait(subscription, id))
  const came = (yield* subscription.address.until(() => true)).filter(says(correlationId))
  return came.slice(0, 1).flatMap((one) => Expect.difference(one, "unexpected", "delivery", "none", correlationId))
})

/** A verification that a read or a delivery shows by its correlation id. */
const forVerify = Effect.gen(function* () {
  const { profile, unique } = yield* Session
  if (profile.verifiableCredential === undefined) return undefined
  const { id } = yield* makeVerifiable()
  const good = yield* control(verify(id, { forceRefresh: true }))
  const subscription = yield* subscribed
  const correlationId = yield* unique
  const before = yield* read("credential", id)
  const watch: Watch = {
    look: Effect.fnUntraced(function* () {
      const after = yield* read("credential", id)
      const began = beganWith(before, after, correlationId)
      const more = subscription === undefined ? [] : yield* deliveredOf(subscription, id, correlationId)
      return { reads: [after], changes: [...began, ...more] }
    })
  }
  return { id, json: { correlationId, forceRefresh: true }, watch, good } satisfies Effective
})

/** A rotation of a secret whose traces a read shows. */
const forRotate = Effect.fnUntraced(function* ({ resource: { id } }: Stage) {
  const { profile, recordValue } = yield* Session
  const good = yield* control(rotate(id))
  const [secret = ""] = shownSecrets(profile, good.exchange)
  const shown = at((yield* read("webhook", id)).answer?.json, "data")
  const traces = yield* recordValue("traces of the secret", Traces, ({ open }) => tracesOf(shown, secret, open))
  const watch: Watch = {
    look: Effect.fnUntraced(function* () {
      const after = yield* read("webhook", id)
      const now = (place: string) => at(after.answer?.json, `data.${place}`)
      const changes = traces.flatMap(([place, trace]) => Expect.same(after, `body.data.${place}`, trace, now(place)))
      return { reads: [after], changes }
    })
  }
  return { id, watch, good } satisfies Effective
})

/** A link into the empty slot of a credential, single or in bulk. */
const intoEmptySlot = ({ absent, parts, resource: { id } }: Stage, way: Point["way"], profile: Profile) => {
  if (absent === undefined) return undefined
  if (way === "action") return { id, json: fill(templateOf(profile, "link"), { ...applicant(absent.id) }) }
  const template = profile.ownership?.bulkLink ?? {}
  const isAimed = JSON.stringify(template).includes("{{credentialIds}}") // else it may change others
  const from = worker(parts["worker"]?.id ?? "")
  return isAimed ? { id, json: fill(template, { from, to: applicant(absent.id), credentialIds: [id] }) } : undefined
}

/** The call of an action with an effect; undefined if the usual one has one, or if none can be made. */
const effectiveOf = (stage: Stage, { name, way }: Point): Effect.Effect<Effective | undefined, Blocked, Session> => {
  const [, action = ""] = /\/([a-z]+)$/.exec(name) ?? []
  if (action === "link") return Effect.map(Session, ({ profile }) => intoEmptySlot(stage, way, profile))
  if (action === "unlink") return forUnlink(stage)
  if (action === "verify") return forVerify
  return action === "rotate" ? forRotate(stage) : Effect.succeed(undefined)
}

const aimAction = Effect.fnUntraced(function* (stage: Stage, one: Aimed) {
  const other = Option.getOrUndefined(yield* Effect.option(effectiveOf(stage, one.point)))
  if (other === undefined) return one
  const { id, json, ...more } = other
  const path = withId(one.guarded.call.path, one.id, encodeURIComponent(id))
  const call = { ...one.guarded.call, path, ...(json === undefined ? {} : { json }) }
  return { ...one, ...more, id, guarded: { ...one.guarded, call } } satisfies Aimed
})

/** Methods that the group of an entity type lacks, as far as the profile says how its resources are changed. */
export const absentPoints = (profile: Profile, entity: string): ReadonlyArray<Point> => {
  const own = endpointsOf(profile).filter((point) => point.entity === entity)
  const group = profile.groups?.[entity]
  const [path, updates] = [groupPathOf(profile, entity), own.filter(({ way }) => way === "update")]
  if (path === undefined) return []
  const lacking = (method: string, way: Point["way"]) =>
    own.some((point) => point.method === method)
      ? []
      : [{ name: `${method} ${path}/{id}`, method, entity, way, takesBody: true }]
  return [
    ...(updates.length > 0 ? ["PATCH", "PUT"].flatMap((method) => lacking(method, "absent")) : []),
    ...(group?.delete === undefined ? [] : lacking("DELETE", "no delete"))
  ]
}

/** Every call of an entity type that a sweep can make, also those with methods that the group lacks. */
export const pointsOf = (profile: Profile, entity: string): ReadonlyArray<Point> => [
  ...endpointsOf(profile).filter((point) => point.entity === entity),
  ...absentPoints(profile, entity)
]

/** The name of a call's point. */
const nameOf = ({ method, path }: Call, id: string): string =>
  `${method} ${withId(path.split("?")[0] ?? "", id, "{id}")}`

interface Aiming {
  readonly isMeant: (point: Point) => boolean
  /** The state of the target before. */
  readonly before: State
  /** Whether other walks use the target: a rotation would change it for them. */
  readonly isShared: boolean
}

/** The calls that are meant, aimed at a target. Deletes come last. */
export const aim = Effect.fnUntraced(function* (stage: Stage, { before, isMeant, isShared }: Aiming) {
  const { profile } = yield* Session
  const { entity, resource } = stage
  const { id } = resource
  const points = pointsOf(profile, entity).filter(isMeant)
  const state = watchState(entity, resource, before)
  const named = { entity, unique: resource.unique }
  // the state of a worker is read in a list
  const isOnList =
    entity !== "worker" && stage.isUnlisted !== true && listPathOf(profile, named, stage.parts) !== undefined
  // creates and deletes are looked for after all calls: one list may show both
  const known: Known = new Map()
  const removal = isOnList ? watchGone(stage, known) : state
  const watchOf = (call: Guarded) => {
    if (call.operation === "CREATE") return watchStrays(stage, call, profile, known)
    return call.operation === "READ" ? undefined : call.operation === "DELETE" ? removal : state
  }
  const all = (yield* everyCall(stage)).flatMap((guarded): ReadonlyArray<Aimed> => {
    const point = points.find(({ name }) => name === nameOf(guarded.call, id))
    const watch = watchOf(guarded)
    return point === undefined ? [] : [{ point, guarded, id, ...(watch && { watch }) }]
  })
  const isAction = ({ point: { way } }: Aimed) => way === "action" || way === "batch"
  const aimed = yield* Effect.forEach(all, (one) =>
    isAction(one) && !(isShared && one.point.name.endsWith("/rotate")) ? aimAction(stage, one) : Effect.succeed(one)
  )
  const path = `${yield* pathOf(entity)}/${encodeURIComponent(id)}`
  const lacking = points
    .filter(({ way }) => way === "absent" || way === "no delete")
    .map((point): Aimed => {
      const call = { method: point.method, path, json: {}, isUnknownPath: true } as const
      return { point, id, guarded: { entity, operation: "UPDATE", call }, ...(state && { watch: state }) }
    })
  const isLast = ({ point }: Aimed) => point.way === "delete"
  return [...aimed.filter((one) => !isLast(one)), ...lacking, ...aimed.filter(isLast)]
})
