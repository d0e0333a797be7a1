"""The smallest honest chat for LangGraph: a node that pays where that is asked for, and one that asks the model."""

import os

import httpx
from langchain_anthropic import ChatAnthropic
from langgraph.graph import END, START, MessagesState, StateGraph

model = ChatAnthropic(
    model_name=os.environ["BESIDE_MODEL"],
    base_url=os.environ["BESIDE_MODEL_URL"],
    api_key=os.environ["BESIDE_KEY"],
    streaming=True,
    timeout=None,
    stop=None,
)


def begin(state: MessagesState) -> str:
    return "pay" if state["messages"][-1].text.startswith("pay") else "answer"


async def pay(_: MessagesState) -> dict[str, list[object]]:
    async with httpx.AsyncClient(timeout=None) as till:
        await till.post(os.environ["BESIDE_TILL_URL"], json={})
    return {"messages": []}


async def answer(state: MessagesState) -> dict[str, list[object]]:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("pay", pay)
    .add_node("answer", answer)
    .add_conditional_edges(START, begin, ["pay", "answer"])
    .add_edge("pay", "answer")
    .add_edge("answer", END)
    .compile()
)
