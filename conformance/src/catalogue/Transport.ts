import { must, should } from "./Rule.ts"

/** TRN: transport, surfaces and tenants. */
export const transport = [
  must("TRN-01", "§4", "legacy").byPair(
    "The legacy surface rejects plain HTTP requests. They have no effect and return no data."
  ),
  must("TRN-02", "§4").byPair("The newer surface rejects plain HTTP requests. They have no effect and return no data."),
  must("TRN-03", "§4 §9", "legacy").byAnswers(
    "The legacy surface answers under `/api`. Its paths have no version segment."
  ),
  must("TRN-04", "§4 §9").byAnswers(
    "The newer surface answers under `/openapi/v1`. The version is part of every path."
  ),
  must("TRN-05", "§1").byPair(
    "Each tenant has its own host. A request for another tenant's resource gets a 4xx and none of its data."
  ),
  should("TRN-06", "§1 §5.2").byPair("A token of one tenant gets a 4xx on another tenant's host."),
  must("TRN-07", "§4", "both").byEveryExchange(
    "Bodies of 2xx responses and of errors in the envelope are valid JSON. (401: SIL-10. Unknown paths: SIL-15.)"
  ),
  must("TRN-08", "§4.2").byPair(
    "Only `POST oauth/token` accepts form encoding. A create or link sent as a form gets a 4xx and changes nothing."
  ),
  should("TRN-09", "§4", "both").byEveryExchange(
    "Bodies of 2xx responses and of errors in the envelope have a JSON content type."
  ),
  must("TRN-10", "§1 §5.2").byPair(
    "Tokens and OAuth clients of one tenant have no access on another tenant's host. No 2xx returns or changes " +
      "data there, and no token is granted."
  )
]
