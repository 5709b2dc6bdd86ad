import type { Json } from "@wcs/conformance/text/Json"
import { OwnershipStore, type Transition } from "@wcs/domain/credential/OwnershipStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import type { Slots } from "@wcs/domain/holding/Credential"
import * as Domain from "@wcs/domain/ownership/Ownership"
import { Clock, Effect, Result } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"
import * as Seams from "./Seams.ts"

type Tag = Domain.Command["_tag"]
type Tagged<One extends Tag> = Extract<Domain.Command, { readonly _tag: One }>

/** Another decision for one kind of command; undefined keeps the correct decision. */
type Deciding<One extends Tag> = (owners: Domain.Owners, command: Tagged<One>) => Domain.Decision | undefined

const decideBy = <One extends Tag>(decide: Domain.Decide, tag: One, other: Deciding<One>): Domain.Decide => {
  const isTagged = (command: Domain.Command): command is Tagged<One> => command._tag === tag
  return (owners, command, facts) =>
    (isTagged(command) ? other(owners, command) : undefined) ?? decide(owners, command, facts)
}

const decidingBatches = (decide: Domain.Decide): Pick<Domain.Ownership["Service"], "decideBatch"> => ({
  decideBatch: (ids, slots, command, facts) => Domain.decideBatch(ids, slots, command, facts, decide)
})

/** The transition table with other decisions for single calls. Bulk calls are correct. */
export const deciding = <One extends Tag>(tag: One, other: Deciding<One>) =>
  Seams.rules(Domain.Ownership, ({ decide }) => ({ decide: decideBy(decide, tag, other) }))

/** The transition table with other decisions for bulk calls only. */
export const decidingInBulk = <One extends Tag>(tag: One, other: Deciding<One>) =>
  Seams.rules(Domain.Ownership, ({ decide }) => decidingBatches(decideBy(decide, tag, other)))

/** The transition table with other decisions for single and bulk calls. */
export const decidingAlways = <One extends Tag>(tag: One, other: Deciding<One>) =>
  Seams.rules(Domain.Ownership, (standard) => {
    const decide = decideBy(standard.decide, tag, other)
    return { decide, ...decidingBatches(decide) }
  })

/** Changes the result of a batch. */
export const batches = (
  change: (
    batch: Domain.BatchDecision,
    command: Domain.BatchCommand,
    slots: ReadonlyMap<string, Domain.Owners>
  ) => Domain.BatchDecision
) =>
  Seams.rules(Domain.Ownership, ({ decideBatch }) => ({
    decideBatch: (ids, slots, command, ...rest) => change(decideBatch(ids, slots, command, ...rest), command, slots)
  }))

/** The slots with one replaced; null empties it. */
export const withSlot = (owners: Domain.Owners, slot: Domain.OwnerType, id: string | null): Domain.Owners => ({
  ...owners,
  [slot]: id
})

const others: Readonly<Record<Domain.OwnerType, Domain.OwnerType>> = { worker: "applicant", applicant: "worker" }
export const otherSlot = (slot: Domain.OwnerType): Domain.OwnerType => others[slot]

/** The decision to set these owners. */
export const into = (owners: Domain.Owners): Domain.Decision => ({ _tag: "Changed", owners })

/** The decision to refuse. */
export const because = (reason: Domain.Refusal): Domain.Decision => ({ _tag: "Refused", reason })

/** A transition as seen by a wrapper of the store. */
export interface Seen extends Transition<unknown> {
  /** The action in the audit log: `link`, `bulk transfer`; undefined if nothing was done. */
  readonly action: string | undefined
  /** The selected slots before the change. */
  readonly found: ReadonlyArray<Slots>
}

/** A store that reports a change without storing it. */
export const losing = (isLost: (seen: Seen) => boolean) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      transition(tenantId, chosen, entering, (found, facts) =>
        Result.map(decide(found, facts), (made) =>
          isLost({ ...made, action: made.records.audit[0]?.action, found })
            ? { ...made, changes: new Map(), records: noRecords }
            : made
        )
      )
  }))

/** A store that writes a change although it is refused. If `write` returns undefined, nothing is written. */
export const writingWhatIsRefused = (
  write: (
    refusal: unknown,
    owners: Domain.Owners,
    entering: Domain.OwnerReference | undefined
  ) => Domain.Owners | undefined
) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      transition(tenantId, chosen, entering, decide).pipe(
        Effect.tapError((refusal) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) =>
            transition(tenantId, chosen, entering, (found) => {
              const changes = new Map(
                found.flatMap(({ id, owners }) => {
                  const written = write(refusal, owners, entering)
                  return written === undefined ? [] : [[id, written] as const]
                })
              )
              return Result.succeed({ answer: undefined, changes, records: noRecords, at })
            })
          )
        )
      )
  }))

/** Milliseconds between the check and the write. */
const windowMillis = 2

/** Applies a decision to the current slots: changes only what the decision changed in the slots that it saw. */
const patched = (now: Domain.Owners, seen: Domain.Owners, wanted: Domain.Owners): Domain.Owners => ({
  worker: wanted.worker === seen.worker ? now.worker : wanted.worker,
  applicant: wanted.applicant === seen.applicant ? now.applicant : wanted.applicant
})

/**
 * A store that reads the slots, then writes its decision a moment later without checking again. Transitions outside
 * `isSo` stay atomic.
 */
export const checkingBeforehand = (isSo: (seen: Seen) => boolean) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const { answer: looked } = yield* transition(tenantId, chosen, entering, (found, facts) =>
          Result.succeed({
            answer: { found, decided: decide(found, facts) },
            changes: new Map(),
            records: noRecords,
            at
          })
        )
        const { decided, found } = looked
        const isRacy =
          Result.isSuccess(decided) &&
          isSo({ ...decided.success, action: decided.success.records.audit[0]?.action, found })
        if (!isRacy) return yield* transition(tenantId, chosen, entering, decide)
        yield* Effect.sleep(windowMillis)
        return yield* transition(tenantId, chosen, entering, (now) =>
          Result.map(decided, (made) => ({
            ...made,
            changes: new Map(
              [...made.changes].map(([id, owners]) => {
                const [before, current] = [found, now].map(
                  (slots) => slots.find((one) => one.id === id)?.owners ?? owners
                )
                return [id, patched(current ?? owners, before ?? owners, owners)] as const
              })
            )
          }))
        )
      })
  }))

const shownOwners = "data.attributes.owners"

/**
 * From a refused call on, reads show its effect: `keeps` returns the slot and its new content. Only the reads are
 * changed, because the port cannot store such a state.
 */
export const showingWhatWasRefused =
  (where: Rewrite.Where, keeps: (body: string) => readonly [slot: Domain.OwnerType, holder: Json]) =>
  (serve: Serve): Serve => {
    const kept = new Map<string, readonly [slot: Domain.OwnerType, holder: Json]>()
    return Rewrite.all(
      Rewrite.answers({ method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 200 }, (answer, request) => {
        const [slot, holder] = kept.get(Rewrite.pathOf(request)) ?? []
        return slot === undefined || holder === undefined
          ? answer
          : Rewrite.field(`${shownOwners}.${slot}`, holder)(answer)
      }),
      Rewrite.answers({ ...where, status: 400 }, (answer, request) => {
        kept.set(Rewrite.pathOf(request).replace(/\/[^/]+$/, ""), keeps(request.body))
        return answer
      })
    )(serve)
  }
