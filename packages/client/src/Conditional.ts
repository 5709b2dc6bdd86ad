import { Context, Effect } from "effect"

/** The ETag that the resource must have; undefined for an unconditional call. */
export const RequiredTag = Context.Reference<string | undefined>("@wcs/client/RequiredTag", {
  defaultValue: () => undefined
})

/** Where the ETag of the last response is stored. */
export const LastTag = Context.Reference<{ tag: string | undefined } | undefined>("@wcs/client/LastTag", {
  defaultValue: () => undefined
})

/**
 * Sends the changes of a call with `If-Match`. If the resource has another ETag, the call fails with `Refused`, status
 * 412, and changes nothing. The call is not retried after a lost response: a retry of a change that succeeded would be
 * 412.
 *
 * @public
 */
export const ifMatch =
  (tag: string) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(call, RequiredTag, tag)

/**
 * Returns the result of a call with the `ETag` of its response. The tag is undefined if the response has none.
 *
 * @public
 */
export const tagged = <A, E, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly result: A; readonly tag: string | undefined }, E, R> =>
  Effect.suspend(() => {
    const last: { tag: string | undefined } = { tag: undefined }
    return Effect.map(Effect.provideService(call, LastTag, last), (result) => ({ result, tag: last.tag }))
  })
