import * as Stores from "@wcs/deployment/stores/Stores"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Context, Effect, Layer } from "effect"

/** Stores that do something else once, just before or after a call of one of their methods. */
export const make = () => {
  let armed: { readonly method: string; readonly then: Effect.Effect<unknown> } | undefined

  const fire = (method: string) =>
    Effect.suspend(() => {
      if (armed?.method !== method) return Effect.void
      const { then } = armed
      armed = undefined // what follows may use the same method
      return Effect.asVoid(then)
    })

  const watched = <Methods extends object>(name: string, store: Methods): Methods => {
    const entries = Object.entries(store).map(([method, run]) => [
      method,
      typeof run === "function"
        ? (...given: ReadonlyArray<unknown>) =>
            fire(`before ${name}.${method}`).pipe(
              Effect.andThen(Effect.suspend(() => run(...given))),
              Effect.tap(fire(`${name}.${method}`))
            )
        : run
    ])
    return Object.fromEntries(entries)
  }

  const stores: Stores.StoresLayer = Layer.effectContext(
    Effect.map(Layer.build(Stores.layer), (built) =>
      built.pipe(
        Context.add(AccessStore, watched("AccessStore", Context.get(built, AccessStore))),
        Context.add(SessionStore, watched("SessionStore", Context.get(built, SessionStore))),
        Context.add(UserStore, watched("UserStore", Context.get(built, UserStore)))
      )
    )
  )

  return {
    adapters: { stores },
    /** Runs `then` once, after the next call of a method such as `SessionStore.find`, or `before SessionStore.find`. */
    arm: (method: string, then: Effect.Effect<unknown>): Effect.Effect<void> =>
      Effect.sync(() => {
        armed = { method, then }
      }),
    /** Fails unless the armed effect has run. */
    assertFired: Effect.suspend(() =>
      armed === undefined ? Effect.void : Effect.die(new Error(`${armed.method} was not called`))
    )
  }
}
