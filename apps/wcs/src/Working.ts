import * as Worker from "@wcs/worker/Worker"
import { Console, Effect } from "effect"
import { adminUrl } from "./ListenUrl.ts"

/** Runs a worker that prints its address. */
export const run = (isJson: boolean) =>
  Worker.main((adminPort) =>
    Effect.flatMap(adminUrl(adminPort), (url) =>
      Console.log(isJson ? JSON.stringify({ adminPort, adminUrl: url }) : `Working\n  health       ${url}/readyz`)
    )
  )
