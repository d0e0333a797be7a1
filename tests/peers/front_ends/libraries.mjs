// Talks to a replica with JavaScript's libraries. node libraries.mjs NAME URL TOKEN writes what it saw as JSON.
import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { createOpenResponses } from '@ai-sdk/open-responses'
import { HumanMessage } from '@langchain/core/messages'
import { GraphEvents, Providers, Run } from '@librechat/agents'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'

const [name, url, token, perdure] = process.argv.slice(2)
const CALLING = '[[think:Hm.]] [[say:I look.]] [[call:weather {"city": "Ulm"}]] [[then]] [[say:It rains.]]'
const weather = tool({
  description: 'How it is outside.',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => 'rain',
})

const CLIENTS = {
  async openResponses() {
    const provider = createOpenResponses({ name: 'perdure', url: `${url}/v1/responses`, apiKey: token })
    const asked = { model: provider('demo'), prompt: CALLING, tools: { weather }, stopWhen: stepCountIs(3) }
    const whole = await generateText(asked)
    let streamed = ''
    for await (const piece of streamText(asked).textStream) streamed += piece
    return { text: whole.text, steps: whole.steps.length, streamed }
  },
  async librechat() {
    const configuration = { baseURL: `${url}/v1`, defaultHeaders: { 'X-Conversation-Id': 'one' } }
    const texts = []
    const run = await Run.create({
      runId: 'run',
      graphConfig: {
        type: 'standard',
        llmConfig: { provider: Providers.OPENAI, model: 'demo', apiKey: token, streaming: true, configuration },
      },
      customHandlers: {
        [GraphEvents.ON_MESSAGE_DELTA]: {
          handle: (_, data) => texts.push(...data.delta.content.map((part) => part.text ?? '')),
        },
      },
      returnContent: true,
    })
    const asked = { messages: [new HumanMessage('[[say:Hello from a library.]]')] }
    const content = await run.processStream(asked, { configurable: { thread_id: 'one' }, version: 'v2' })
    return { streamed: texts.join(''), text: content.map((part) => part.text).join('') }
  },
  async editor() {
    const agent = spawn(perdure, ['acp', '--url', url, '--token', token], { stdio: ['pipe', 'pipe', 'inherit'] })
    const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout))
    const told = []
    const editor = acp
      .client({ name: 'proof' })
      .onNotification(acp.methods.client.session.update, ({ params }) => told.push(params.update))
      .onRequest(acp.methods.client.session.requestPermission, () => ({ outcome: { outcome: 'cancelled' } }))
    const ended = await editor.connectWith(stream, async (connection) => {
      const ask = (method, params) => connection.request(method, params)
      const methods = acp.methods.agent
      await ask(methods.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
      const { sessionId } = await ask(methods.session.new, { cwd: '/tmp', mcpServers: [] })
      return await ask(methods.session.prompt, { sessionId, prompt: [{ type: 'text', text: '[[think:Hm.]] [[say:Done.]]' }] })
    })
    agent.kill()
    const said = (kind) => told.filter((update) => update.sessionUpdate === kind).map((update) => update.content.text)
    return { ended: ended.stopReason, thought: said('agent_thought_chunk').join(''), text: said('agent_message_chunk').join('') }
  },
}

process.stdout.write(JSON.stringify(await CLIENTS[name]()))
process.exit(0)
