import { Effect } from "effect"
import { updateCalls } from "../../calls/GuardedCalls.ts"
import { showsId } from "../../calls/Reading.ts"
import { bodyOf, create, idsOf, makeFrom, makeParts, pathOf, read } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { secretAtPosition, shownSecrets } from "../../wire/WebhookSecrets.ts"
import { shows } from "../access/IssuedSecrets.ts"

const type = "webhook"

const makeWebhook = Effect.gen(function* () {
  const parts = yield* makeParts(type)
  return { parts, resource: yield* makeFrom(type, parts) }
})

/** Requests a new secret (§4.2). */
export const rotate = Effect.fnUntraced(function* (id: string, more: Pick<Call, "as" | "turn"> = {}) {
  const { send } = yield* Session
  return yield* send({ method: "POST", path: `${yield* pathOf(type)}/${encodeURIComponent(id)}/rotate`, ...more })
})

const hasId = walk({ name: "webhooks/id", judges: ["EVT-14"], impact: "mutate-own", needs: ["webhook body"] })(
  function* () {
    const unique = yield* (yield* Session).unique
    const body = yield* bodyOf(type, unique, idsOf(yield* makeParts(type)))
    const made = yield* control(create(type, unique, body))
    yield* judge("EVT-14", [made.exchange], Expect.type(made.exchange, "data.id", "non-empty string"))
  }
)

/** The response has a secret at the position that the profile gives. */
const showsSecret = (rotated: Exchange, position: string): Expect.Met => {
  const refused = Expect.accepted(rotated)
  return refused.length > 0 ? refused : Expect.type(rotated, position, "non-empty string")
}

const rotates = walk({
  name: "webhooks/rotate",
  judges: ["EVT-08"],
  impact: "mutate-own",
  needs: ["webhook body", "position of the signing secret"]
})(function* () {
  const { profile } = yield* Session
  const position = profile.signingSecret?.rotate ?? ""
  const { resource } = yield* makeWebhook
  const rotations = [yield* rotate(resource.id, { turn: 0 }), yield* rotate(resource.id, { turn: 1 })]
  const answers = [resource.exchange, ...rotations]
  const secrets = answers.flatMap((answer) => secretAtPosition(profile, answer) ?? [])
  yield* judge("EVT-08", answers, [
    ...rotations.flatMap((rotated) => showsSecret(rotated, position)),
    ...rotations.slice(-1).flatMap((last) => Expect.distinct(last, `body.${position}`, secrets))
  ])
})

/** Every later answer about a webhook: reads, lists and the changes that the profile has. */
const laterAnswers = Effect.fnUntraced(function* (made: Effect.Success<typeof makeWebhook>) {
  const { profile, send } = yield* Session
  const { parts, resource } = made
  const lists = new Set([yield* pathOf(type), findPathOf(profile, type, resource.unique) ?? (yield* pathOf(type))])
  const reads = Effect.gen(function* () {
    const listed = yield* Effect.forEach(lists, (path) => send({ method: "GET", path }))
    return [yield* read(type, resource.id), ...listed]
  })
  const before = yield* reads
  if (!before.some((shown) => isIn(shown, 2) && showsId(shown, resource.id))) {
    return yield* block("prerequisite failed: no read shows the created webhook", ...before)
  }
  const changes = yield* updateCalls({ entity: type, resource, parts })
  const changed = yield* Effect.forEach(changes, ({ call }) => send(call))
  return [...before, ...changed, ...(yield* reads)]
})

const shownOnce = walk({
  name: "webhooks/shown-once",
  judges: ["EVT-09"],
  impact: "mutate-own",
  needs: ["webhook body"]
})(function* () {
  const { profile } = yield* Session
  const made = yield* makeWebhook
  const created = made.resource.exchange
  const rotated = yield* rotate(made.resource.id)
  const [first, second] = [shownSecrets(profile, created), shownSecrets(profile, rotated)]
  const secrets = [...new Set([...first, ...second])]
  if (secrets.length === 0) {
    return yield* block(
      "neither a create nor a rotation shows a secret at the place that the profile names",
      created,
      rotated
    )
  }
  const later = yield* laterAnswers(made)
  yield* judge(
    "EVT-09",
    [created, rotated, ...later],
    [
      // a rotation that returns the former secret breaks EVT-08, not this rule
      ...first.filter((secret) => !second.includes(secret)).flatMap((secret) => shows(rotated, secret)),
      ...later.flatMap((answer) => secrets.flatMap((secret) => shows(answer, secret)))
    ]
  )
})

/** Webhooks and their secrets, without deliveries. */
export const webhookWalks: ReadonlyArray<Walk> = [hasId, rotates, shownOnce]
