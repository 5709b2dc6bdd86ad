import type { CallName, Input, Output, QueryValue } from "./Contract.ts"
import { isLoggedOut, noAnswer, Refusal, refusalOf } from "./Refusal.ts"

const root = "/openapi/v1"
const timeoutMillis = 30_000
const uploadMillis = 3_600_000

/** The parameters and the body of a call, for code that does not know the call's name. */
interface Parts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly ifMatch?: string | undefined
}

/** The entity tags of the answers that are still in use. */
const tags = new WeakMap<object, string>()

/** The entity tag (RFC 9110, section 8.8.3) of the record in an answer; undefined without one. */
export const tagOf = (answer: object | undefined): string | undefined =>
  answer === undefined ? undefined : tags.get(answer)

const queryOf = (query: Parts["query"] = {}): string => {
  const given = Object.entries(query).flatMap(([name, value = []]) => [value].flat().map((text) => [name, text]))
  const parameters = new URLSearchParams(given.filter(([, text]) => text !== ""))
  return parameters.size === 0 ? "" : `?${parameters}`
}

/** The address of a call, from the root of the host. */
export const addressOf = (name: CallName, { params = {}, query }: Parts): string => {
  const path = name.slice(name.indexOf(" ") + 1)
  return `${root}${path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ""))}${queryOf(query)}`
}

const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  if (text === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const send = async (address: string, init: RequestInit): Promise<unknown> => {
  const headers = { accept: "application/json", "x-wcs-console": "1", ...init.headers }
  const signal = init.signal ?? AbortSignal.timeout(timeoutMillis)
  const [response, body] = await fetch(address, { ...init, headers, signal, credentials: "same-origin" })
    .then(async (response) => [response, await bodyOf(response)] as const)
    .catch((error: unknown) => Promise.reject(noAnswer(error)))
  if (!response.ok) throw refusalOf(response, body)
  const tag = response.headers.get("etag")
  if (tag !== null && typeof body === "object" && body !== null) tags.set(body, tag)
  return body
}

/** Asks the person to log in again after the session has ended. Returns whether the call can be repeated. */
let askForLogin: () => Promise<boolean> = () => Promise.resolve(false)

/** Sets the dialog that asks for a login. Without one, the refusal reaches the caller. */
export const logInBy = (ask: typeof askForLogin): void => {
  askForLogin = ask
}

/** Calls that may have done a part before the session ended. To repeat them could do it twice. */
const partial: ReadonlySet<CallName> = new Set(["POST /fetch-requests/bulk"])

/** Repeats an attempt once the person has logged in again: without a session, a call of one record changes nothing. */
const whileLoggedIn = <A>(attempt: () => Promise<A>, mayRepeat = true): Promise<A> =>
  attempt().catch(async (refusal: unknown) => {
    if (isLoggedOut(refusal) && (await askForLogin()) && mayRepeat) return whileLoggedIn(attempt)
    throw refusal
  })

/** Asks the user to authenticate again. Returns true after success, and false if the user cancels. */
let askForProof: () => Promise<boolean> = () => Promise.resolve(false)

/** Sets the dialog that asks for step-up. */
export const confirmBy = (ask: typeof askForProof): void => {
  askForProof = ask
}

/** Makes a call of the public API. If it needs step-up, the person is asked once, and the call is made again. */
export const call = async <Name extends CallName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
  const parts = input as Parts
  const method = name.slice(0, name.indexOf(" "))
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json"
  const condition: Record<string, string> = parts.ifMatch === undefined ? {} : { "if-match": parts.ifMatch }
  const init: RequestInit =
    parts.body === undefined
      ? { method, headers: condition }
      : { method, body: JSON.stringify(parts.body), headers: { ...condition, "content-type": type } }
  const attempt = () =>
    whileLoggedIn(() => send(addressOf(name, parts), init), !partial.has(name)) as Promise<Output<Name>>
  return attempt().catch(async (refusal: Refusal) => {
    if (refusal.needsStepUp && (await askForProof())) return attempt()
    throw refusal
  })
}

/** Uploads a file by a call whose body is a file. It takes as long as the line needs. */
export const upload = <Name extends CallName & `POST ${string}`>(
  name: Name,
  parts: { readonly params: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, string>> },
  mediaType: string,
  file: Blob
): Promise<Output<Name>> =>
  whileLoggedIn(() =>
    send(addressOf(name, parts as Parts), {
      ...{ method: "POST", body: file, headers: { "content-type": mediaType } },
      signal: AbortSignal.timeout(uploadMillis)
    })
  ) as Promise<Output<Name>>

/** The answer of a call as the file that the server writes: a whole list, or a proof. It takes as long as it needs. */
export const fileOf = <Name extends CallName & `GET ${string}`>(
  name: Name,
  input: Input<Name>,
  accept: string
): Promise<Blob> =>
  whileLoggedIn(() =>
    fetch(addressOf(name, input as Parts), {
      headers: { accept, "x-wcs-console": "1" },
      credentials: "same-origin"
    })
      .then(async (response) => {
        if (!response.ok) throw refusalOf(response, await bodyOf(response))
        return await response.blob()
      })
      .catch((error: unknown) => Promise.reject(error instanceof Refusal ? error : noAnswer(error)))
  )

/** The account of the session, asked without a dialog; null without a session. */
export const accountNow = (): Promise<string | null> =>
  send(addressOf("GET /me", {}), { method: "GET" }).then(
    (answer) => (answer as Output<"GET /me">).data.account,
    (refusal: unknown) => {
      if (isLoggedOut(refusal)) return null
      throw refusal
    }
  )

/** Sends a form to one of the pages of the person's own login. */
export const sendForm = (path: string, fields: Readonly<Record<string, string>>): Promise<unknown> =>
  send(path, { method: "POST", body: new URLSearchParams(fields) })
