import { type ContainerEngine, type Deadlines, findContainerEngine, missing } from "./ContainerEngine.ts"
import { startContainerPostgres } from "./ContainerPostgres.ts"
import { type Engine, startEngine } from "./Engine.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Where the Postgres of a test run comes from, and the sentence that says so. */
export type Source =
  | { readonly type: "given"; readonly url: string; readonly told: string }
  | { readonly type: "container"; readonly engine: ContainerEngine; readonly image: string; readonly told: string }
  | { readonly type: "embedded"; readonly told: string }

/** The image that `apps/wcs/deploy/compose.yaml` names. */
export const usualImage = "postgres:18.4"

const wishes = ["auto", "container", "embedded"] as const

const embedded = (reason: string): Source => ({
  type: "embedded",
  told: `Postgres for the tests: the embedded one (${reason})`
})

/**
 * `DATABASE_URL`, else a container, else the embedded Postgres. `WCS_TEST_POSTGRES` chooses between the last two:
 * `container` fails without one. `WCS_TEST_POSTGRES_IMAGE` names the image.
 */
export const sourceOf = async (environment: Environment, deadlines?: Deadlines): Promise<Source> => {
  const given = environment["DATABASE_URL"] ?? ""
  if (given !== "")
    return { type: "given", url: given, told: "Postgres for the tests: the one that DATABASE_URL names" }
  const wish = wishes.find((name) => name === (environment["WCS_TEST_POSTGRES"] ?? "auto"))
  if (wish === undefined) throw new Error(`WCS_TEST_POSTGRES must be one of ${wishes.join(", ")}`)
  if (wish === "embedded") return embedded("WCS_TEST_POSTGRES says so")
  const image = environment["WCS_TEST_POSTGRES_IMAGE"] ?? usualImage
  const engine = await findContainerEngine(environment, deadlines)
  const failure = engine === undefined ? "no container engine answers" : await cannotProvide(engine, image, deadlines)
  if (engine !== undefined && failure === undefined) {
    return {
      type: "container",
      engine,
      image,
      told: `Postgres for the tests: ${image} in a container of ${engine.name}`
    }
  }
  if (wish === "container") throw new Error(`WCS_TEST_POSTGRES is container, but ${failure}`)
  return embedded(String(failure))
}

const cannotProvide = async (engine: ContainerEngine, image: string, deadlines: Deadlines | undefined) => {
  const reason = await missing(engine, image, deadlines)
  return reason === undefined ? undefined : `${engine.name} cannot provide the image ${image}: ${reason}`
}

/** Starts what a source needs; a given database is not stopped. */
export const startTestPostgres = async (source: Source): Promise<Pick<Engine, "stop" | "url">> => {
  if (source.type === "given") return { url: source.url, stop: () => Promise.resolve() }
  return source.type === "container" ? startContainerPostgres(source.engine, source.image) : startEngine()
}
