import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Receives } from "@wcs/conformance/wire/Receiver"
import { Effect } from "effect"

/** Sends a delivery and returns the status of its answer. */
export type Deliver = (delivered: Request) => Effect.Effect<number>

/** The origin of every run's receiver. No socket listens there: deliveries stay in the process. */
const receiverOrigin = "https://receiver.specimen.test"

/** The status of an address that is closed. */
const gone = 410

/** URLs below it accept and discard every delivery. */
const closed = `${receiverOrigin}/closed/`

/** Sends a delivery out of the process, to the receiver of a run in another process, which may have ended. */
const overHttp: Deliver = ({ body, headers, method, url }) =>
  Effect.promise(async (signal) => {
    const named = headers.map(([name, value]): [string, string] => [name, value])
    const answer = await fetch(url, { method, body, signal, headers: named }).catch(() => undefined)
    return answer?.status ?? gone
  })

/** Carries deliveries from deployments to the receivers of the runs that judge them. */
export interface Hub {
  readonly deliver: Deliver
  /** The receiver of one run. `change` is applied to its deliveries. */
  readonly receiver: (change: (deliver: Deliver) => Deliver) => Receives
}

/** A hub without receivers. */
export const make = (): Hub => {
  const routes = new Map<string, Deliver>()
  let opened = 0
  return {
    deliver: (delivered) => {
      const route = routes.get(delivered.url)
      if (route !== undefined) return route(delivered)
      if (delivered.url.startsWith(closed)) return Effect.succeed(204)
      const isNowhere = delivered.url.startsWith(receiverOrigin) || new URL(delivered.url).hostname.endsWith(".invalid")
      return isNowhere ? Effect.succeed(gone) : overHttp(delivered)
    },
    receiver: (change) => {
      const own = new Map<string, Deliver>()
      const changed = change((delivered) => own.get(delivered.url)?.(delivered) ?? Effect.succeed(gone))
      return {
        open: (take) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              opened += 1
              const url = `${receiverOrigin}/${opened}`
              own.set(url, take)
              routes.set(url, changed)
              return url
            }),
            (url) =>
              Effect.sync(() => {
                own.delete(url)
                routes.delete(url)
              })
          ),
        closed: (name) => Effect.succeed(`${closed}${name}`)
      }
    }
  }
}
