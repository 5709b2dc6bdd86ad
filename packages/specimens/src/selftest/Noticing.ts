import { isDeepStrictEqual } from "node:util"
import type * as Rules from "@wcs/domain/service/Rules"
import { Context, Effect, Layer } from "effect"
import type { Specimen } from "../Specimen.ts"
import type { Variant } from "../Variant.ts"

// Notices whether a change has an effect in a run. A variant without an effect proves nothing about the suite.

/** What a change passed on while it handled one call, and what came back. */
interface Passed {
  readonly given: unknown
  readonly result?: unknown
}

const PassedOn = Context.Reference<Array<Passed>>("@wcs/specimens/PassedOn", { defaultValue: () => [] })

/** Calls `note` when the change first passes on another value than it got, or returns another result than it got. */
const noticed =
  <In, Out, E>(
    change: (inner: (given: In) => Effect.Effect<Out, E>) => (given: In) => Effect.Effect<Out, E>,
    note: () => void
  ) =>
  (inner: (given: In) => Effect.Effect<Out, E>) => {
    let isNoted = false
    const changed = change((given) =>
      isNoted
        ? inner(given)
        : Effect.flatMap(PassedOn, (passed) => {
            const index = passed.push({ given }) - 1
            const keep = (result: Out) => Effect.sync(() => void passed.splice(index, 1, { given, result }))
            return Effect.tap(inner(given), keep)
          })
    )
    const isSame = (given: In, passed: ReadonlyArray<Passed>) => {
      const [only] = passed
      return passed.length === 1 && only !== undefined && isDeepStrictEqual(only.given, given) ? only : undefined
    }
    const compare = (isUnchanged: boolean) =>
      Effect.sync(() => {
        if (isUnchanged || isNoted) return
        isNoted = true
        note()
      })
    return (given: In): Effect.Effect<Out, E> => {
      if (isNoted) return changed(given)
      const passed: Array<Passed> = []
      return changed(given).pipe(
        Effect.provideService(PassedOn, passed),
        Effect.tap((result) => compare(isDeepStrictEqual(isSame(given, passed)?.result, result))),
        Effect.tapError(() => compare(isSame(given, passed) !== undefined))
      )
    }
  }

type RuleServices = Context.Context<Layer.Success<typeof Rules.layer>>

type Method = (...given: ReadonlyArray<never>) => unknown

const methodsOf = (rules: RuleServices, service: string): Readonly<Record<string, Method>> =>
  rules.mapUnsafe.get(service)

/** Calls `note` when a method returns another result than before the change. */
const noticedMethods = (before: RuleServices, after: RuleServices, note: () => void): RuleServices => {
  const noticed = (old: Method | undefined, other: Method): Method =>
    old === other
      ? other
      : (...given) => {
          const result = other(...given)
          if (!isDeepStrictEqual(result, old?.(...given))) note()
          return result
        }
  const services = [...after.mapUnsafe.keys()].map((service) => {
    const old = methodsOf(before, service)
    const methods = Object.entries(methodsOf(after, service))
    return [service, Object.fromEntries(methods.map(([name, other]) => [name, noticed(old[name], other)]))] as const
  })
  return Context.makeUnsafe(new Map(services))
}

const noticedRules =
  (change: NonNullable<Specimen["rules"]>, note: () => void) =>
  (standard: typeof Rules.layer): typeof Rules.layer =>
    Layer.flatMap(standard, (before) =>
      Layer.flatMap(change(Layer.succeedContext(before)), (after) =>
        Layer.succeedContext(noticedMethods(before, after, note))
      )
    )

/** A specimen that reports its first effect to `note`. */
const reporting = (specimen: Specimen, note: () => void): Specimen => {
  const { deliveries, profile, rewrite, rules, secret } = specimen
  return {
    ...specimen,
    ...(rewrite && { rewrite: noticed(rewrite, note) }),
    ...(deliveries && {
      deliveries: (webhooks) => noticed(deliveries(webhooks), note)
    }),
    ...(rules && { rules: noticedRules(rules, note) }),
    ...(profile && {
      profile: (told) => {
        const other = profile(told)
        if (!isDeepStrictEqual(other, told)) note()
        return other
      }
    }),
    ...(secret && {
      secret: (written, name) => {
        const other = secret(written, name)
        if (other !== written) note()
        return other
      }
    })
  }
}

/** Watches variants during a run. `idle` returns the names of those that have had no effect so far. */
export const noticing = (variants: ReadonlyArray<Variant>) => {
  const missing = new Set(variants.flatMap(({ changesOnlyTime, name }) => (changesOnlyTime === true ? [] : [name])))
  return {
    specimens: variants.map((variant) => reporting(variant, () => void missing.delete(variant.name))),
    idle: (): ReadonlyArray<string> => [...missing]
  }
}
