"""A playbook that carries out plans with the nodes' own agent, one that takes them back, and the inventory. Pure text.

The playbooks need nothing but modules of ansible-core (``ansible.builtin``). What decides is on the node: the agent
compares the plan with what is there, keeps what was there before, and says what it changed; a playbook that runs again
finds nothing to change.
"""

__all__ = ["ANSIBLE_GROUP", "APPLY_PLAYBOOK", "REVERT_PLAYBOOK", "inventory_text"]

import json
from collections.abc import Mapping

ANSIBLE_GROUP = "sparktune"

_HEAD = "# Written by: sparktune host export --ansible\n"

APPLY_PLAYBOOK = (
    _HEAD
    + """#
# Each node gets its plan, plans/NAME.json, carried out by agent.pyz. A node that is no longer as its plan saw it is not
# changed: the play fails there and says what differs. One that is as planned already reports ok.
- name: Carry out the plans of sparktune
  hosts: sparktune
  become: true
  gather_facts: false
  # One node after the other; the first failure ends the play, so that a fault does not travel.
  serial: 1
  any_errors_fatal: true
  tasks:
    - name: Carry out the plan
      block:
        - name: Make a folder for agent and plan
          ansible.builtin.tempfile:
            state: directory
            suffix: .sparktune
          register: sparktune_folder
          changed_when: false

        - name: Copy the agent
          ansible.builtin.copy:
            src: agent.pyz
            dest: "{{ sparktune_folder.path }}/agent.pyz"
            mode: "0600"
          changed_when: false

        - name: Copy the plan
          ansible.builtin.copy:
            src: plans/{{ inventory_hostname }}.json
            dest: "{{ sparktune_folder.path }}/plan.json"
            mode: "0600"
          changed_when: false

        - name: Carry it out
          ansible.builtin.command:
            argv:
              - python3
              - -I
              - "{{ sparktune_folder.path }}/agent.pyz"
              - --json
              - transact
              - "{{ sparktune_folder.path }}/plan.json"
          register: sparktune_run
          vars:
            answer: "{{ sparktune_run.stdout | from_json }}"
          changed_when: sparktune_run.stdout is match('{') and (answer.changed | default(false))
          # Its answer says more than its exit code; it is looked at below.
          failed_when: sparktune_run.stdout is not match('{')

        - name: Show what became of each item
          ansible.builtin.debug:
            msg: "{{ lines.splitlines() }}"
          vars:
            answer: "{{ sparktune_run.stdout | from_json }}"
            lines: |
              {% for step in answer.steps | default([]) %}
              {% for item, said in step['items'].items() %}
              {{ step.change }}: {{ item }}: {{ said.outcome }}{{ ', ' ~ said.why if said.why | default('') else '' }}
              {% endfor %}
              {% endfor %}
          when: answer.steps | default([]) | length > 0

        - name: Stop where it was not carried out
          ansible.builtin.assert:
            that: answer.state | default('') in ['committed', 'unconfirmed']
            fail_msg: >-
              {{ answer.error.message if 'error' in answer else answer.failed ~ ' - the node is now: ' ~ answer.state }}
            quiet: true
          vars:
            answer: "{{ sparktune_run.stdout | from_json }}"

        - name: Connect anew, to see whether the node can still be reached
          ansible.builtin.meta: reset_connection

        - name: Keep what the node would undo by itself otherwise
          ansible.builtin.command:
            argv: [python3, -I, /var/lib/sparktune/agent.pyz, --json, confirm, "{{ answer.transaction }}"]
          vars:
            answer: "{{ sparktune_run.stdout | from_json }}"
          when: answer.state == 'unconfirmed'
          changed_when: false

      always:
        - name: Remove the folder
          ansible.builtin.file:
            path: "{{ sparktune_folder.path }}"
            state: absent
          when: sparktune_folder.path is defined
          changed_when: false
"""
)

REVERT_PLAYBOOK = (
    _HEAD
    + """#
# Takes back all that sparktune did on the nodes, by the agent that each of them kept. What somebody else has changed
# since stays as it is, and is named.
- name: Take back what sparktune did
  hosts: sparktune
  become: true
  gather_facts: false
  tasks:
    - name: Look for the node's agent
      ansible.builtin.stat:
        path: /var/lib/sparktune/agent.pyz
      register: sparktune_agent

    - name: Take it back
      ansible.builtin.command:
        argv: [python3, -I, /var/lib/sparktune/agent.pyz, --json, revert]
      register: sparktune_run
      when: sparktune_agent.stat.exists
      vars:
        answer: "{{ sparktune_run.stdout | from_json }}"
      changed_when: sparktune_run.stdout is match('{') and answer.state | default('') == 'reverted'
      failed_when: >-
        sparktune_run.stdout is not match('{') or answer.state | default('') not in ['reverted', 'nothing']

    - name: Show what was left, because somebody changed it since
      ansible.builtin.debug:
        msg: "{{ lines.splitlines() }}"
      vars:
        answer: "{{ sparktune_run.stdout | from_json }}"
        lines: |
          {% for undone in answer.undone %}
          {% for step in undone.steps %}
          {% for item, said in step['items'].items() if said.outcome == 'foreign' %}
          {{ step.change }}: {{ item }}: left as it is
          {% endfor %}
          {% endfor %}
          {% endfor %}
      when: sparktune_run.rc | default(0) == 3
"""
)


def inventory_text(hosts: Mapping[str, str | None]) -> str:
    """Return an inventory of nodes by name; the value is what ssh knows them as, None for this machine."""
    # Whichever Python a node has will do: all of it is said, and there is nothing to warn of.
    lines = [f"{ANSIBLE_GROUP}:", "  vars:", "    ansible_python_interpreter: auto_silent", "  hosts:"]
    for name, host in hosts.items():
        lines.append(f"    {_quoted(name)}:")
        if host is None:
            lines.append("      ansible_connection: local")
            continue
        user, at, address = host.rpartition("@")
        lines.append(f"      ansible_host: {_quoted(address)}")
        if at:
            lines.append(f"      ansible_user: {_quoted(user)}")
    return _HEAD + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text)  # a string of JSON is one of YAML
