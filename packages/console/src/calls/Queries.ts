import { QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query"
import { useRef } from "preact/hooks"
import { call } from "./Call.ts"
import type { CallName, Input, Item, Output, QueryOf } from "./Contract.ts"
import { Refusal } from "./Refusal.ts"

/** How long an answer is reused without another call, in milliseconds. */
const freshMillis = 15_000
const retriesMax = 2

/** Begins the keys of answers of several calls. */
const whole = "whole"

/** Retries only if the server is unreachable or overloaded. The screen shows a `Retry-After` as a countdown. */
const mayRetry = (attempts: number, error: unknown): boolean =>
  attempts < retriesMax && error instanceof Refusal && (error.status === 0 || error.status >= 502)

/** The cache of answers. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // The tag of an answer belongs to its object, so no answer is merged into the one before.
      queries: {
        structuralSharing: false,
        staleTime: freshMillis,
        gcTime: 5 * 60_000,
        retry: mayRetry,
        retryDelay: (n) => 500 * 2 ** n
      },
      // A change is forgotten at once, because it can contain a secret.
      mutations: { retry: false, gcTime: 0 }
    }
  })
/** The state of a read. */
export interface Read<Answer> {
  /** The answer. While the next answer loads: the previous one. */
  readonly data: Answer | undefined
  readonly error: Refusal | null
  /** Whether `data` is the answer to the previous read. */
  readonly isPlaceholderData: boolean
  readonly refetch: () => unknown
}

const paramsOf = (input: object | undefined): string => JSON.stringify(Reflect.get(input ?? {}, "params") ?? null)

/**
 * Reads an answer and keeps it up to date. While `isWanted` is false, nothing is read. While another page or filter
 * loads, the last one stays; the answer about another record never does.
 */
export const useRead = <Name extends CallName & `GET ${string}`>(
  name: Name,
  input: Input<Name>,
  { everySeconds, isWanted = true }: { readonly isWanted?: boolean; readonly everySeconds?: number } = {}
): Read<Output<Name>> =>
  useQuery<unknown, Refusal>({
    queryKey: [name, input],
    queryFn: () => call(name, input),
    enabled: isWanted,
    placeholderData: (previous: unknown, query: { readonly queryKey: ReadonlyArray<unknown> } | undefined) =>
      paramsOf(query?.queryKey[1] as object) === paramsOf(input) ? previous : undefined,
    ...(everySeconds === undefined ? {} : { refetchInterval: everySeconds * 1000 })
  }) as Read<Output<Name>>

/** How long an answer of several calls is reused without another call, in milliseconds. */
const wholeMillis = 5 * 60_000

/** Reads an answer that takes several calls to a path. It is read again after a change of that path only. */
export const useReadOf = <Answer>(
  path: string,
  read: () => Promise<Answer>,
  { isWanted = true }: { readonly isWanted?: boolean } = {}
): Read<Answer> =>
  useQuery<Answer, Refusal>({
    queryKey: [whole, path],
    queryFn: () => read(),
    enabled: isWanted,
    staleTime: wholeMillis
  }) as Read<Answer>

/** Whether a change makes an answer out of date. */
const isTouched = (name: string, [first, path]: ReadonlyArray<unknown>): boolean =>
  first !== whole || (typeof path === "string" && name.includes(` ${path}`))

/**
 * Makes a change, one at a time: a second `mutate` before the end of the first does nothing. Then every answer on the
 * screen is read again, because one change can touch many records. A conflict (409) has the same effect, because the
 * screen shows outdated data. `onDone` follows every success. The callbacks of `mutate` are lost if the answers that are
 * read again remove the control.
 */
export const useChange = <Name extends CallName>(name: Name, onDone?: () => void) => {
  const client = useQueryClient()
  const isRunning = useRef(false)
  const change = useMutation<Output<Name>, Refusal, Input<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: () => {
      onDone?.()
      return client.invalidateQueries({ predicate: ({ queryKey }) => isTouched(name, queryKey) })
    },
    onError: ({ status }) => (status === 409 || status === 412 ? client.invalidateQueries() : undefined),
    onSettled: () => {
      isRunning.current = false
    }
  })
  const mutate: typeof change.mutate = (...parts) => {
    if (isRunning.current) return
    isRunning.current = true
    change.mutate(...parts)
  }
  return { ...change, mutate }
}

/** Lists that are short enough to be read whole: a tenant has at most some thousands. */
type ShortList = "GET /units" | "GET /screening-packages" | "GET /users"

/** Returns all items of a short list, page by page. */
export const readWhole = async <Name extends ShortList>(
  name: Name,
  query: Omit<QueryOf<Name>, "cursor" | "pageSize">
): Promise<ReadonlyArray<Item<Name>>> => {
  const items: Array<Item<Name>> = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    // The lists have the same parameters of paging.
    const paging: QueryOf<"GET /units"> = { ...query, pageSize: "100", cursor }
    const { data, meta } = await call(name as "GET /units", { query: paging })
    items.push(...(data as ReadonlyArray<unknown> as ReadonlyArray<Item<Name>>))
    cursor = meta.nextCursor
  }
  return items
}
