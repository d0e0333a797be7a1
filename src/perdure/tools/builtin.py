"""The tools that come with the product, in the order in which models see them."""

from perdure.tools.agents import (
    interrupt_agent,
    list_agents,
    list_subagent_models,
    message_agent,
    spawn_agent,
    wait_agent,
)
from perdure.tools.computer.computer import computer
from perdure.tools.files import attach_file, edit_files, list_files, read_file, search_files, write_file
from perdure.tools.plans import ask_user_question, propose_plan
from perdure.tools.processes import execute, process_list, process_output, process_signal
from perdure.tools.pull_requests import open_pull_request
from perdure.tools.recall import recall, remember, search_memory
from perdure.tools.schedules import add_schedule, list_schedules, remove_schedule
from perdure.tools.skills import read_skill, read_skill_file
from perdure.tools.tool import End, Need, Tool
from perdure.tools.workspaces import (
    create_workspace,
    list_templates,
    read_template,
    start_workspace,
    stop_workspace,
)
from perdure.workspaces.driver import Computer

BUILTIN_TOOLS: tuple[Tool, ...] = (
    read_file,
    write_file,
    edit_files,
    search_files,
    list_files,
    attach_file,
    execute,
    process_output,
    process_list,
    process_signal,
    open_pull_request,
    list_templates,
    read_template,
    create_workspace,
    start_workspace,
    stop_workspace,
    spawn_agent,
    wait_agent,
    message_agent,
    interrupt_agent,
    list_agents,
    list_subagent_models,
    ask_user_question,
    propose_plan,
    recall,
    read_skill,
    read_skill_file,
    remember,
    search_memory,
    add_schedule,
    list_schedules,
    remove_schedule,
)
AGENT_TOOLS = tuple(tool for tool in BUILTIN_TOOLS if Need.AGENTS in tool.needs)


def ending(name: str) -> End | None:
    """How what a call of this tool left running is ended, if it leaves anything."""
    every = (*BUILTIN_TOOLS, computer(Computer(command="")))
    return next((tool.end for tool in every if tool.name == name), None)
