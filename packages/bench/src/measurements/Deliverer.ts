import { ManagedRuntime } from "effect"
import { answerQuestions } from "../load/Questions.ts"
import { bare, type DeliverJob, delivering, storesIn } from "./Deliver.ts"
import { type OpenDelivery, openByHand, openDelivering } from "./OpenDeliver.ts"

/** Delivers with the worker or by hand until the parent process disconnects. */
export const deliver = async (directory: string): Promise<void> => {
  const runtime = ManagedRuntime.make(storesIn(directory))
  await runtime.context()
  answerQuestions({
    bare,
    worker: (job: DeliverJob) => runtime.runPromise(delivering(job)),
    openByHand: (job: OpenDelivery) => openByHand(directory, job),
    openWorker: (job: OpenDelivery) => runtime.runPromise(openDelivering(job))
  })
}
