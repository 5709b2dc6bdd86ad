import type { Answer } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Serve } from "@wcs/specimens/Serve"
import { Effect } from "effect"

const reset = Effect.fail(new NoAnswer({ silence: "reset", detail: "ECONNRESET" }))

/** What a gateway says of itself. */
const badGateway: Answer = { status: 502, headers: {}, text: "", json: undefined }

/**
 * A deployment that loses some of a thousand answers: as often before a call is carried out as after, and as often without
 * a word as with a gateway's.
 */
export const losing =
  (perMille: number, seed: number) =>
  (serve: Serve): Serve => {
    let state = seed
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor(state / 65_536)
    }
    return (request) =>
      Effect.suspend(() => {
        if (next() % 1000 >= perMille) return serve(request)
        const lost = next() % 2 === 0 ? reset : Effect.succeed(badGateway)
        return next() % 2 === 0 ? lost : Effect.andThen(serve(request), lost)
      })
  }
